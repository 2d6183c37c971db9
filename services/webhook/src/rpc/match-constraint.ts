import { MatchConstraintResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { Violations } from '@sabia/service-kit/validation/violations';
import { findMismatch } from '../domain/constraint';
import { checkConstraint } from '../domain/integration-input';
import { parseObject } from '../domain/json-object';
import type { Dependencies, Handler } from './dependencies';
import { whyOf } from './messages';

/** For telephony, which has the calls that a user wants to try a constraint against. */
export function matchConstraint(_dependencies: Dependencies): Handler<'matchConstraint'> {
  return ({ webhookConstraint, metadata }) => {
    const violations = new Violations();
    const pairs = checkConstraint(violations, webhookConstraint || '{}');
    violations.throwIfAny('integration');
    const mismatches = metadata.map((text) => findMismatch(pairs, parseObject(text) ?? {}));
    return Promise.resolve(
      MatchConstraintResponse.fromPartial({
        matches: mismatches.map((mismatch) => {
          const reason = mismatch?.explain();
          return { matches: mismatch === undefined, key: mismatch?.key, reason, why: whyOf(reason) };
        }),
      }),
    );
  };
}
