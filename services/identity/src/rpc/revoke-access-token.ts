import { RevokeAccessTokenResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { prefixLength } from '../domain/access-token';
import { tokenRevoked } from '../events/published';
import { deleteTokensByPrefix } from '../storage/access-tokens';
import type { Dependencies, Handler } from './dependencies';

const pattern = new RegExp(`^[A-Za-z0-9_-]{${prefixLength}}$`);

export function revokeAccessToken({ database, outbox, dropFromCaches }: Dependencies): Handler<'revokeAccessToken'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    // A whole token sent by mistake is not echoed.
    const unknown = () => notFound('accessToken', request.prefix.slice(0, prefixLength));
    if (!pattern.test(request.prefix)) {
      throw unknown();
    }
    const hashes = await database.transaction(async (tx) => {
      const revoked = await deleteTokensByPrefix(tx, caller.userId, request.prefix);
      await outbox.write(
        tx,
        revoked.map((hash) => tokenRevoked(caller, hash)),
      );
      return revoked;
    });
    if (hashes.length === 0) {
      throw unknown();
    }
    await Promise.all(hashes.map((tokenHash) => dropFromCaches({ userId: caller.userId, tokenHash })));
    return RevokeAccessTokenResponse.fromPartial({});
  };
}
