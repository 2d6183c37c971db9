import { setTimeout as delay } from 'node:timers/promises';
import { GetRecordingResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { denied, notFound, unavailable } from '@sabia/service-kit/errors';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { contentTypes } from '../domain/recording-url';
import { missingRecording } from '../recordings/missing-recording';
import { findCallId, isUuid } from '../storage/calls';
import { findRecording } from '../storage/recordings';
import type { FoundRecording } from '../storage/recordings';
import type { Dependencies, Handler } from './dependencies';

/**
 * The channel-hangup webhook carries the link before the audio is in the store: a request that follows it at once waits this long.
 * So does a request for an MP3 that is yet to be made; the encoding goes on, so that a later request finds it.
 */
const PATIENCE_MS = 15_000;
/** The part of the request's deadline that is left for the response. */
const RESERVE_MS = 500;
const LOOK_EVERY_MS = 200;
const MP3_RETRY_AFTER_SECONDS = 5;

/** Needs no caller: the bearer of the signed link may listen. */
export function getRecording({ database, store, mp3Copies, urls, now }: Dependencies): Handler<'getRecording'> {
  return async ({ callId: given, signature, format }, context) => {
    if (!isUuid(given)) {
      throw notFound('recording', given);
    }
    // An unknown id is refused like a wrong signature: links do not reveal which calls exist.
    const callId = (await findCallId(database, given)) ?? given.toLowerCase();
    if (!urls.isSignedBy(callId, signature)) {
      throw denied();
    }
    const { deadline } = context;
    const latest = Math.min(now().getTime() + PATIENCE_MS, (deadline?.getTime() ?? Infinity) - RESERVE_MS);
    const recording = await whenStored(callId, latest, context);
    if (format !== 'mp3') {
      const { contentType, size } = recording;
      return GetRecordingResponse.fromPartial({ location: store.locationOf(callId), contentType, size });
    }
    return GetRecordingResponse.fromPartial({
      size: await whenEncoded(recording, latest, context),
      location: store.locationOf(callId, 'mp3'),
      contentType: contentTypes.mp3,
    });
  };

  async function whenEncoded(recording: FoundRecording, latest: number, { signal }: RpcContext): Promise<number> {
    const done = new AbortController();
    const patience = delay(Math.max(0, latest - now().getTime()), undefined, {
      signal: AbortSignal.any([done.signal, signal]),
    }).then(() => {
      throw unavailable('The MP3 of the recording is still being made.', MP3_RETRY_AFTER_SECONDS);
    });
    try {
      return await Promise.race([mp3Copies.sizeOf(recording), patience]);
    } finally {
      done.abort();
    }
  }

  async function whenStored(callId: string, latest: number, { signal }: RpcContext): Promise<FoundRecording> {
    for (;;) {
      const recording = await findRecording(database, callId);
      if (recording === undefined) {
        throw await missingRecording(database, callId);
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
