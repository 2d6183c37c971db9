import { GrantCreditResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { invalid } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';
import { unitsPerReal } from '../domain/money';
import { lockBalance } from '../storage/balances';
import { moveCredit } from '../storage/move-credit';
import type { Dependencies, Handler } from './dependencies';

const largestGrant = 100_000 * unitsPerReal;
const longestText = 200;

export function grantCredit({ database, lowThreshold, tellBalance, now }: Dependencies): Handler<'grantCredit'> {
  return async (request) => {
    const violations = check(request);
    if (violations.length > 0) {
      throw invalid('grant', violations);
    }
    const { accountId, amount, key, description } = request;
    const { balance } = await database.transaction(async (tx) =>
      moveCredit(
        tx,
        await lockBalance(tx, accountId),
        {
          accountId,
          kind: 'grant',
          reference: key,
          description: description || 'Credit granted',
          at: now(),
          amount,
          against: [{ book: 'grants', amount: -amount }],
        },
        lowThreshold,
      ),
    );
    tellBalance(accountId);
    return GrantCreditResponse.fromPartial({ balance });
  };
}

function check({ accountId, amount, key, description }: Parameters<Handler<'grantCredit'>>[0]): Violation[] {
  const violations: Violation[] = [];
  const refuse = (field: string, code: string, message: string) => violations.push({ field, code, message });
  if (accountId <= 0) {
    refuse('accountId', 'presence', "can't be blank");
  }
  if (amount <= 0 || amount > largestGrant) {
    refuse('amount', 'range', 'must be greater than 0 and at most 100000.00');
  }
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    refuse('key', 'format', 'must be 1 to 200 printable characters');
  }
  if (description.length > longestText || description.includes('\0')) {
    refuse('description', 'format', `must not be longer than ${longestText} characters`);
  }
  return violations;
}
