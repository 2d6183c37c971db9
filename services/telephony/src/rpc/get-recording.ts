import { GetRecordingResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { denied, notFound } from '@sabia/service-kit/errors';
import { isUuid } from '../storage/calls';
import { findRecording } from '../storage/recordings';
import type { Dependencies, Handler } from './dependencies';

/** On nobody's behalf: who holds the signed link may listen. */
export function getRecording({ database, store, urls }: Dependencies): Handler<'getRecording'> {
  return async ({ callId, signature }) => {
    const id = callId.toLowerCase();
    if (!isUuid(id)) {
      throw notFound('recording', callId);
    }
    if (!urls.isSignedBy(id, signature)) {
      throw denied();
    }
    const recording = await findRecording(database, id);
    if (recording === undefined) {
      throw notFound('recording', callId);
    }
    const { contentType, size } = recording;
    return GetRecordingResponse.fromPartial({ location: store.locationOf(id), contentType, size });
  };
}
