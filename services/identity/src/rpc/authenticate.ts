import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { AuthenticateResponse, TokenKind, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { sessionIsIdle } from '../domain/session';
import { areaCodeOf } from '../domain/area-code';
import { findTokenOwner } from '../storage/access-tokens';
import type { Dependencies, Handler } from './dependencies';

/** Runs for every request whose token is not in the gateway's cache: one read, no write. */
export function authenticate({ database, tokenUsage, signUpRules, now }: Dependencies): Handler<'authenticate'> {
  return async ({ tokenHash }) => {
    const owner = await findTokenOwner(database, tokenHash);
    if (owner === undefined) {
      return AuthenticateResponse.fromPartial({ state: TokenState.UNKNOWN });
    }
    const at = now();
    if ((owner.expiresAt !== null && owner.expiresAt <= at) || sessionIsIdle(owner, at)) {
      return AuthenticateResponse.fromPartial({ state: TokenState.EXPIRED });
    }
    if (owner.suspensionReason !== null) {
      return AuthenticateResponse.fromPartial({ state: TokenState.SUSPENDED, suspension: owner.suspensionReason });
    }
    const {
      kind,
      createdAt: _createdAt,
      suspensionReason: _none,
      expiresAt,
      lastUsedAt,
      role,
      areaCode,
      accountPhone,
      ...caller
    } = owner;
    tokenUsage.note(tokenHash, lastUsedAt);
    return AuthenticateResponse.fromPartial({
      state: TokenState.LIVE,
      caller: {
        ...caller,
        role: Role[role],
        areaCode: areaCode ?? areaCodeOf(accountPhone, signUpRules.phoneCountry),
        tokenHash,
      },
      expiresAt: expiresAt ?? undefined,
      kind: kind === 'session' ? TokenKind.SESSION : TokenKind.API,
    });
  };
}
