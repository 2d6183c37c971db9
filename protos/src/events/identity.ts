import {
  AccountActivated,
  AccountCreated,
  AccountDeleted,
  AccountLimited,
  AccountResumed,
  AccountSuspended,
  AccountUpdated,
  TokenRevoked,
  UserCreated,
  UserDeleted,
  UserUpdated,
} from '../../generated/sabia/identity/v1/events';
import { defineEvent } from './define-event';

export const identityEvents = {
  accountCreated: defineEvent('identity.account.created', AccountCreated),
  accountActivated: defineEvent('identity.account.activated', AccountActivated),
  accountUpdated: defineEvent('identity.account.updated', AccountUpdated),
  accountDeleted: defineEvent('identity.account.deleted', AccountDeleted),
  accountSuspended: defineEvent('identity.account.suspended', AccountSuspended),
  accountResumed: defineEvent('identity.account.resumed', AccountResumed),
  accountLimited: defineEvent('identity.account.limited', AccountLimited),
  userCreated: defineEvent('identity.user.created', UserCreated),
  userUpdated: defineEvent('identity.user.updated', UserUpdated),
  userDeleted: defineEvent('identity.user.deleted', UserDeleted),
  tokenRevoked: defineEvent('identity.token.revoked', TokenRevoked),
};
