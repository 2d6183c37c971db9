import { SuspendAccountResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { checkReason } from '../domain/suspension';
import { accountSuspended } from '../events/published';
import { deleteSessionsOfAccount, suspendAccount as suspend } from '../storage/operated-accounts';
import type { Dependencies, Handler } from './dependencies';
import { requireAccount, toOperatedAccountMessage } from './operated-account';

/**
 * Sessions of the console end for good. API tokens are refused while the suspension lasts, so that they can be told why, and so
 * that what was built on them works again afterwards.
 */
export function suspendAccount({ database, outbox, dropFromCaches, now }: Dependencies): Handler<'suspendAccount'> {
  return async (request, context) => {
    requireOperator(context);
    const reason = checkReason(request.reason);
    const account = await database.transaction(async (tx) => {
      const suspended = await suspend(tx, { id: request.accountId, reason, now: now() });
      if (suspended === undefined) {
        return requireAccount(tx, request.accountId);
      }
      await deleteSessionsOfAccount(tx, suspended.id);
      await outbox.write(tx, [accountSuspended(suspended, reason)]);
      return suspended;
    });
    // Repeated too: a process that was lost after its commit has not told the gateways.
    await dropFromCaches('everything');
    return SuspendAccountResponse.fromPartial({ account: toOperatedAccountMessage(account) });
  };
}
