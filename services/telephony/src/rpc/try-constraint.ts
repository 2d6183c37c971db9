import { TryConstraintResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { Violations } from '@sabia/service-kit/validation/violations';
import { listNewest } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';

const defaultLimit = 20;
const mostCalls = 100;

export function tryConstraint({ database, webhook }: Dependencies): Handler<'tryConstraint'> {
  return async ({ webhookConstraint = '{}', limit = defaultLimit }, context) => {
    const { accountId } = requireCaller(context);
    const violations = new Violations();
    if (limit < 1 || limit > mostCalls) {
      violations.add('limit', 'range', `must be 1 to ${mostCalls}`);
    }
    violations.throwIfAny('integration');
    const calls = await listNewest(database, accountId, limit);
    const matches = await webhook.matchConstraint(
      webhookConstraint,
      calls.map(({ metadata }) => metadata),
    );
    return TryConstraintResponse.fromPartial({
      tried: calls.length,
      matched: matches.filter((match) => match.matches).length,
      calls: calls.map(({ id, startedAt, from, to, metadata }, index) => ({
        ...{ id, started_at: startedAt, from, to, metadata },
        ...matches[index],
      })),
    });
  };
}
