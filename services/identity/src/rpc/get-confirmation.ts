import { GetConfirmationResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { findAccount } from '../storage/accounts';
import { findConfirmation } from './confirmation';
import type { Dependencies, Handler } from './dependencies';

/** Changes nothing, because mail scanners follow links before the recipient does. */
export function getConfirmation({ database, now }: Dependencies): Handler<'getConfirmation'> {
  return async ({ token }) => {
    const { user, email, changesEmail } = await findConfirmation(database, token, now());
    const account = await findAccount(database, user.accountId);
    return GetConfirmationResponse.fromPartial({ email, domain: account?.domain, changesEmail });
  };
}
