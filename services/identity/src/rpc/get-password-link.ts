import { GetPasswordLinkResponse, PasswordLinkPurpose } from '@sabia/protos/sabia/identity/v1/messages';
import { badRequest } from '@sabia/service-kit/errors';
import { hashToken } from '../domain/access-token';
import { findOneTimeToken } from '../storage/one-time-tokens';
import type { Dependencies, Handler } from './dependencies';

/** Changes nothing, because mail scanners follow links before the recipient does. */
export function getPasswordLink({ database, now }: Dependencies): Handler<'getPasswordLink'> {
  return async ({ token, purpose }) => {
    const wanted = purpose === PasswordLinkPurpose.UNDO_EMAIL_CHANGE ? 'undo-email-change' : 'reset-password';
    const link = await findOneTimeToken(database, hashToken(token), wanted);
    if (link === undefined) {
      throw badRequest('INVALID_TOKEN', 'This link is not valid.');
    }
    if (link.usedAt !== null) {
      throw badRequest('TOKEN_USED', 'This link has been used already.');
    }
    if (link.expiresAt <= now()) {
      throw badRequest('TOKEN_EXPIRED', 'This link has expired.');
    }
    return GetPasswordLinkResponse.fromPartial({ email: link.email });
  };
}
