import { GetReplayResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { isEventId } from '@sabia/service-kit/events/outbox';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findReplay } from '../storage/replays';
import type { Dependencies, Handler } from './dependencies';
import { requireIntegration } from './messages';

export function getReplay({ database }: Dependencies): Handler<'getReplay'> {
  return async ({ id, replayId }, context) => {
    const { accountId } = requireCaller(context);
    await requireIntegration(database, accountId, id);
    const known = isEventId(replayId);
    const found = known ? await findReplay(database, { integrationId: id, id: replayId }) : undefined;
    if (found === undefined) {
      throw notFound('replay', replayId);
    }
    const { createdAt, total, delivered, dead, pending, retrying } = found;
    return GetReplayResponse.fromPartial({
      replay: { id: replayId, createdAt, total, delivered, failed: dead, pending: pending + retrying, retrying },
    });
  };
}
