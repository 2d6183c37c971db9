import type { TransactionalConsumer } from '@sabia/service-kit/events/consumer/definition';
import { deleteProfile } from '../storage/account-profiles';

/** Nobody confirmed the sign-up of the account: what it said of somebody is not kept. */
export const onAccountDeleted: TransactionalConsumer = {
  durable: 'billing-account-deleted',
  types: ['identity.account.deleted'],
  async handle({ accountId }, tx) {
    await deleteProfile(tx, accountId);
  },
};
