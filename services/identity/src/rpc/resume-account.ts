import { ResumeAccountResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { accountResumed } from '../events/published';
import { resumeAccount as resume } from '../storage/operated-accounts';
import type { Dependencies, Handler } from './dependencies';
import { requireAccount, toOperatedAccountMessage } from './operated-account';

export function resumeAccount({ database, outbox }: Dependencies): Handler<'resumeAccount'> {
  return async ({ accountId }, context) => {
    requireOperator(context);
    const account = await database.transaction(async (tx) => {
      const resumed = await resume(tx, accountId);
      if (resumed === undefined) {
        return requireAccount(tx, accountId);
      }
      await outbox.write(tx, [accountResumed(resumed)]);
      return resumed;
    });
    return ResumeAccountResponse.fromPartial({ account: toOperatedAccountMessage(account) });
  };
}
