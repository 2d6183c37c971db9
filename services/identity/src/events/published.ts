import type { CountryCode } from 'libphonenumber-js/max';
import {
  AccountActivated,
  AccountCreated,
  AccountDeleted,
  AccountUpdated,
  TokenRevoked,
  UserCreated,
  UserDeleted,
  UserUpdated,
} from '@sabia/protos/sabia/identity/v1/events';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Account } from '../domain/account';
import { areaCodeOf } from '../domain/area-code';
import type { User } from '../domain/user';

/** Every event that identity publishes. */

export const accountCreated = (account: Account, country: CountryCode): OutgoingEvent => ({
  type: 'identity.account.created',
  accountId: account.id,
  payload: AccountCreated.encode({
    accountId: account.id,
    accountUuid: account.uuid,
    domain: account.domain,
    name: account.name,
    email: account.email,
    phone: account.phone,
    timeZone: account.timeZone,
    areaCode: account.areaCode ?? areaCodeOf(account.phone, country) ?? '',
    recordingFormat: account.recordingFormat,
  }).finish(),
});

export const accountActivated = (account: Account): OutgoingEvent => ({
  type: 'identity.account.activated',
  accountId: account.id,
  payload: AccountActivated.encode({
    accountId: account.id,
    accountUuid: account.uuid,
    domain: account.domain,
  }).finish(),
});

export const accountUpdated = (account: Account, country: CountryCode): OutgoingEvent => ({
  type: 'identity.account.updated',
  accountId: account.id,
  payload: AccountUpdated.encode({
    accountId: account.id,
    accountUuid: account.uuid,
    name: account.name,
    email: account.email,
    phone: account.phone,
    timeZone: account.timeZone,
    areaCode: account.areaCode ?? areaCodeOf(account.phone, country) ?? '',
    recordingFormat: account.recordingFormat,
  }).finish(),
});

export const accountDeleted = (account: Account): OutgoingEvent => ({
  type: 'identity.account.deleted',
  accountId: account.id,
  payload: AccountDeleted.encode({
    accountId: account.id,
    accountUuid: account.uuid,
    domain: account.domain,
  }).finish(),
});

const userPayload = (user: User) => ({
  userId: user.id,
  userUuid: user.uuid,
  email: user.email,
  role: Role[user.role],
});

export const userCreated = (user: User): OutgoingEvent => ({
  type: 'identity.user.created',
  accountId: user.accountId,
  payload: UserCreated.encode(userPayload(user)).finish(),
});

export const userUpdated = (user: User): OutgoingEvent => ({
  type: 'identity.user.updated',
  accountId: user.accountId,
  payload: UserUpdated.encode(userPayload(user)).finish(),
});

export const userDeleted = (user: User): OutgoingEvent => ({
  type: 'identity.user.deleted',
  accountId: user.accountId,
  payload: UserDeleted.encode({ userId: user.id, userUuid: user.uuid }).finish(),
});

/** Without a hash: every token of the user. */
export const tokenRevoked = (owner: { accountId: number; userId: number }, tokenHash?: Uint8Array): OutgoingEvent => ({
  type: 'identity.token.revoked',
  accountId: owner.accountId,
  payload: TokenRevoked.encode(
    TokenRevoked.fromPartial({ userId: owner.userId, tokenHash: tokenHash && Buffer.from(tokenHash) }),
  ).finish(),
});
