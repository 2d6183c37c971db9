import type { CountryCode } from 'libphonenumber-js/max';
import { identityEvents } from '@sabia/protos/events/identity';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import { withoutNulls } from '@sabia/service-kit/postgres/without-nulls';
import type { Account } from '../domain/account';
import type { AccountLimits } from '../domain/account-limits';
import { areaCodeOf } from '../domain/area-code';
import type { User } from '../domain/user';

/** Every event that identity publishes. */

type AccountNames = Pick<Account, 'id' | 'uuid' | 'domain'>;

const accountNames = (account: AccountNames) => ({
  accountId: account.id,
  accountUuid: account.uuid,
  domain: account.domain,
});

const accountProfile = (account: Account, country: CountryCode) => ({
  accountId: account.id,
  accountUuid: account.uuid,
  name: account.name,
  email: account.email,
  phone: account.phone,
  timeZone: account.timeZone,
  areaCode: account.areaCode ?? areaCodeOf(account.phone, country) ?? '',
  recordingFormat: account.recordingFormat,
});

export const accountCreated = (account: Account, country: CountryCode): OutgoingEvent =>
  outgoingEvent(
    identityEvents.accountCreated,
    { ...accountProfile(account, country), domain: account.domain },
    { accountId: account.id },
  );

export const accountActivated = (account: Account): OutgoingEvent =>
  outgoingEvent(identityEvents.accountActivated, accountNames(account), { accountId: account.id });

export const accountUpdated = (account: Account, country: CountryCode): OutgoingEvent =>
  outgoingEvent(identityEvents.accountUpdated, accountProfile(account, country), { accountId: account.id });

export const accountSuspended = (account: AccountNames, reason: string): OutgoingEvent =>
  outgoingEvent(identityEvents.accountSuspended, { ...accountNames(account), reason }, { accountId: account.id });

export const accountResumed = (account: AccountNames): OutgoingEvent =>
  outgoingEvent(identityEvents.accountResumed, accountNames(account), { accountId: account.id });

export const accountLimited = (account: AccountNames & { limits: AccountLimits }): OutgoingEvent =>
  outgoingEvent(
    identityEvents.accountLimited,
    { ...accountNames(account), ...withoutNulls(account.limits) },
    { accountId: account.id },
  );

export const accountDeleted = (account: Account): OutgoingEvent =>
  outgoingEvent(identityEvents.accountDeleted, accountNames(account), { accountId: account.id });

const userProfile = (user: User) => ({
  userId: user.id,
  userUuid: user.uuid,
  email: user.email,
  role: Role[user.role],
});

export const userCreated = (user: User): OutgoingEvent =>
  outgoingEvent(identityEvents.userCreated, userProfile(user), { accountId: user.accountId });

export const userUpdated = (user: User): OutgoingEvent =>
  outgoingEvent(identityEvents.userUpdated, userProfile(user), { accountId: user.accountId });

export const userDeleted = (user: User): OutgoingEvent =>
  outgoingEvent(identityEvents.userDeleted, { userId: user.id, userUuid: user.uuid }, { accountId: user.accountId });

/** Without a hash, every token of the user is revoked. */
export const tokenRevoked = (owner: { accountId: number; userId: number }, tokenHash?: Uint8Array): OutgoingEvent =>
  outgoingEvent(identityEvents.tokenRevoked, revocation(owner.userId, tokenHash), { accountId: owner.accountId });

export const revocation = (userId: number, tokenHash: Uint8Array = new Uint8Array()) => ({
  userId,
  tokenHash: Buffer.from(tokenHash),
});
