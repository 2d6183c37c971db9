import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findCall } from '../storage/calls';
import { findRecording } from '../storage/recordings';
import { linksOf } from '../recordings/links';
import { missingRecording } from '../recordings/missing-recording';
import type { Dependencies, Handler } from './dependencies';

export function getRecordingLink({ database, urls }: Dependencies): Handler<'getRecordingLink'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    if ((await findRecording(database, call.id)) === undefined) {
      throw await missingRecording(database, call.id);
    }
    return { url: (await linksOf(database, urls, [call])).get(call.id)! };
  };
}
