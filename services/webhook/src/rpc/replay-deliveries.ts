import { ReplayDeliveriesResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { Violations } from '@sabia/service-kit/validation/violations';
import { defaultTimeZone } from '../domain/local-time';
import { checkReplay } from '../domain/replay-span';
import { replayDeliveries as replay } from '../storage/replay-deliveries';
import { resolveReplay } from '../storage/replay-span';
import type { Dependencies, Handler } from './dependencies';
import { requireEnabled, requireIntegration } from './messages';

export function replayDeliveries({ database, now, poke }: Dependencies): Handler<'replayDeliveries'> {
  return async ({ id, ...input }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const integration = await requireIntegration(database, accountId, id);
    const violations = new Violations();
    const wish = checkReplay(violations, input);
    violations.throwIfAny('replay');
    const span = await resolveReplay(database, wish, timeZone || defaultTimeZone);
    if (span.from !== undefined && span.to !== undefined && span.from > span.to) {
      violations.add('to', 'range', 'must not be before from');
    }
    violations.throwIfAny('replay');
    requireEnabled(integration);
    const at = now();
    const replayId = newEventId(at);
    const count = await replay(database, { integrationId: id, replayId }, span, at);
    poke();
    return ReplayDeliveriesResponse.fromPartial({ count, replayId });
  };
}
