import { createHash } from 'node:crypto';
import { GrantAccountCreditRequest, GrantAccountCreditResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { badRequest } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { answerOnce } from '@sabia/service-kit/postgres/answer-once';
import { bookGrant, checkGrant } from './book-grant';
import type { Dependencies, Handler } from './dependencies';
import { requireOperatedAccount } from './operated-account';

/** The key of the request is that of the ledger, too: a grant is booked once even after its answer was forgotten. */
export function grantAccountCredit(dependencies: Dependencies): Handler<'grantAccountCredit'> {
  const { database, now } = dependencies;
  return async (request, context) => {
    const { accountId, amount = 0, description = '' } = request;
    const { idempotencyKey } = context;
    await requireOperatedAccount(database, context, accountId);
    if (idempotencyKey === undefined) {
      throw badRequest('IDEMPOTENCY_KEY_REQUIRED', 'Send an Idempotency-Key, so that no credit is granted twice.');
    }
    const blank: Violation[] = [{ field: 'description', code: 'presence', message: "can't be blank" }];
    checkGrant({ amount, description }, description.trim() === '' ? blank : []);
    const reference = referenceOf(requireOperator(context).uuid, idempotencyKey);
    const messages = { Request: GrantAccountCreditRequest, Response: GrantAccountCreditResponse };
    return answerOnce(
      { database, now, context, request, ...messages },
      {
        act: (transact) => transact((tx) => bookGrant(tx, { accountId, amount, reference, description }, dependencies)),
        answer: (balance: number) => GrantAccountCreditResponse.fromPartial({ balance }),
      },
    );
  };
}

const referenceOf = (operator: string, key: string): string =>
  `operator ${createHash('sha256')
    .update(JSON.stringify([operator, key]))
    .digest('hex')}`;
