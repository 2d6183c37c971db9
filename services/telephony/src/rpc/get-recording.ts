import { setTimeout as delay } from 'node:timers/promises';
import { GetRecordingResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { denied, notFound, unavailable } from '@sabia/service-kit/errors';
import type { CallContext } from '@sabia/service-kit/grpc/handler';
import { contentTypes } from '../domain/recording-url';
import { findCallId, isUuid } from '../storage/calls';
import { findRecording } from '../storage/recordings';
import type { Recording } from '../storage/recordings';
import type { Dependencies, Handler } from './dependencies';

/** channel-hangup carries the link before the audio is in the store: a reader who follows it at once waits this long. */
const PATIENCE_MS = 15_000;
/** Left of the request's own time for the answer. */
const RESERVE_MS = 500;
const LOOK_EVERY_MS = 200;

/** On behalf of no user: the bearer of the signed link may listen. */
export function getRecording({ database, store, mp3Copies, urls, now }: Dependencies): Handler<'getRecording'> {
  return async ({ callId: given, signature, format }, context) => {
    if (!isUuid(given)) {
      throw notFound('recording', given);
    }
    // An id without a call is refused like one with a wrong signature: links cannot be used to ask which calls there are.
    const callId = (await findCallId(database, given)) ?? given.toLowerCase();
    if (!urls.isSignedBy(callId, signature)) {
      throw denied();
    }
    const { contentType, size } = await whenStored(callId, context);
    if (format !== 'mp3') {
      return GetRecordingResponse.fromPartial({ location: store.locationOf(callId), contentType, size });
    }
    return GetRecordingResponse.fromPartial({
      size: await mp3Copies.sizeOf(callId),
      location: store.locationOf(callId, 'mp3'),
      contentType: contentTypes.mp3,
    });
  };

  async function whenStored(callId: string, { deadline, signal }: CallContext): Promise<Recording> {
    const begun = now().getTime();
    const latest = Math.min(begun + PATIENCE_MS, (deadline?.getTime() ?? Infinity) - RESERVE_MS);
    for (;;) {
      const recording = await findRecording(database, callId);
      if (recording === undefined) {
        throw notFound('recording', callId);
      }
      if (recording.stored) {
        return recording;
      }
      if (now().getTime() >= latest) {
        throw unavailable('The recording is not complete yet.');
      }
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  }
}
