import { GetCallLadderResponse, LadderDirection, LadderLeg } from '@sabia/protos/sabia/telephony/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { ladderOf } from '../domain/ladder';
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
    const entries = ladderOf(call, await readTimeline(database, call.id));
    return GetCallLadderResponse.fromPartial({
      entries: entries.map((entry) => ({ ...entry, leg: legs[entry.leg], direction: directions[entry.direction] })),
    });
  };
}
