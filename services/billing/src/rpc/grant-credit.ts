import { GrantCreditResponse } from '@sabia/protos/sabia/billing/v1/messages';
import type { Violation } from '@sabia/service-kit/errors';
import { bookGrant, checkGrant } from './book-grant';
import type { Dependencies, Handler } from './dependencies';

export function grantCredit(dependencies: Dependencies): Handler<'grantCredit'> {
  return async (request) => {
    const { accountId, amount, key, description } = request;
    checkGrant(request, check(request));
    const grant = { accountId, amount, reference: key, description: description || 'Credit granted' };
    const balance = await dependencies.database.transaction((tx) => bookGrant(tx, grant, dependencies));
    return GrantCreditResponse.fromPartial({ balance });
  };
}

function check({ accountId, key }: Parameters<Handler<'grantCredit'>>[0]): Violation[] {
  const violations: Violation[] = [];
  if (accountId <= 0) {
    violations.push({ field: 'accountId', code: 'presence', message: "can't be blank" });
  }
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    violations.push({ field: 'key', code: 'format', message: 'must be 1 to 200 printable characters' });
  }
  return violations;
}
