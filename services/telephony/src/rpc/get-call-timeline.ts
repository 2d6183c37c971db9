import { GetCallTimelineResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { timelineOf } from '../domain/timeline';
import { findCall } from '../storage/calls';
import { readTimeline } from '../storage/timeline';
import type { Dependencies, Handler } from './dependencies';

export function getCallTimeline({ database }: Dependencies): Handler<'getCallTimeline'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    const entries = timelineOf(call, await readTimeline(database, call.id));
    return GetCallTimelineResponse.fromPartial({
      entries: entries.map(({ at, kind, message, detail }) => ({
        at,
        kind,
        message,
        detail: detail ? JSON.stringify(detail) : undefined,
      })),
    });
  };
}
