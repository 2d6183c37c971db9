import { GetCallLadderResponse, LadderDirection, LadderLeg } from '@sabia/protos/sabia/telephony/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { ladderOf } from '../domain/ladder';
import { readSignalling } from '../storage/call-signalling';
import { findCall } from '../storage/calls';
import { readTimeline } from '../storage/timeline';
import type { Dependencies, Handler } from './dependencies';

const legs = { extension: LadderLeg.EXTENSION, destination: LadderLeg.DESTINATION };
const directions = { in: LadderDirection.IN, out: LadderDirection.OUT };

export function getCallLadder({ database }: Dependencies): Handler<'getCallLadder'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    const [noted, captured] = await Promise.all([readTimeline(database, call.id), readSignalling(database, call.id)]);
    return GetCallLadderResponse.fromPartial({
      entries: ladderOf(call, noted, captured).map((entry) => ({
        at: entry.at,
        leg: legs[entry.leg],
        direction: directions[entry.direction],
        party: entry.party,
        method: entry.method,
        status: entry.status,
        reason: entry.reason,
        attempt: entry.attempt,
        cseq: entry.cseq,
        retransmission: entry.retransmission ?? false,
        inferred: entry.inferred,
      })),
    });
  };
}
