import { GetCallTimelineResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { entriesOfDelivery } from '../domain/delivery-timeline';
import { timelineOf } from '../domain/timeline';
import type { TimelineEntry } from '../domain/timeline';
import { findCall } from '../storage/calls';
import { readTimeline } from '../storage/timeline';
import type { Dependencies, Handler } from './dependencies';

export function getCallTimeline({ database, webhook, now }: Dependencies): Handler<'getCallTimeline'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    const [noted, deliveries] = await Promise.all([readTimeline(database, call.id), deliveriesOf(call.id, context)]);
    const entries = timelineOf(call, [...noted, ...deliveries]);
    return GetCallTimelineResponse.fromPartial({
      entries: entries.map(({ at, kind, message, detail }) => ({
        at,
        kind,
        message,
        detail: detail ? JSON.stringify(detail) : undefined,
      })),
    });
  };

  /** While webhook is away the rest of the timeline is shown, with an entry that says what is missing. */
  async function deliveriesOf(callId: string, { log }: RpcContext): Promise<TimelineEntry[]> {
    try {
      return (await webhook.deliveriesOf(callId)).flatMap(entriesOfDelivery);
    } catch (error) {
      log.warn({ err: error, callId }, 'a timeline is shown without the deliveries of its call');
      return [{ at: now(), kind: 'delivery', message: 'deliveries are left out: they cannot be read at the moment' }];
    }
  }
}
