import { Role } from '@sabia/protos/sabia/api/v1/caller';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { Account } from '@sabia/protos/sabia/identity/v1/messages';
import type { User } from '@sabia/protos/sabia/identity/v1/messages';
import { denied } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Account as DomainAccount } from '../domain/account';
import { areaCodeOf } from '../domain/area-code';
import type { Actor, Role as DomainRole, User as DomainUser } from '../domain/user';

export const toAccountMessage = (account: DomainAccount, country: CountryCode): Account =>
  Account.fromPartial({ ...account, areaCode: account.areaCode ?? areaCodeOf(account.phone, country) });

export const toUserMessage = ({
  accountId: _accountId,
  pendingEmail,
  phone,
  role,
  lastLoginAt,
  language,
  ...user
}: DomainUser): User => ({
  first_name: user.name.trim().split(/\s+/)[0] ?? '',
  pendingEmail: pendingEmail ?? undefined,
  phone: phone ?? undefined,
  role: Role[role],
  lastLoginAt: lastLoginAt ?? undefined,
  language: language ?? undefined,
  ...user,
});

/** null if the value is not a role. */
export function readRole(role: Role | undefined): DomainRole | null | undefined {
  if (role === undefined) {
    return undefined;
  }
  if (role === Role.ADMIN) {
    return 'ADMIN';
  }
  return role === Role.USER ? 'USER' : null;
}

export const toActor = (caller: Caller): Actor => ({
  userId: caller.userId,
  accountId: caller.accountId,
  role: caller.role === Role.ADMIN ? 'ADMIN' : 'USER',
});

/** The gateway checks this as well, but a service does not rely on being called only through it. */
export function requireAdmin(context: RpcContext): Caller {
  const caller = requireCaller(context);
  if (caller.role !== Role.ADMIN) {
    throw denied();
  }
  return caller;
}
