import { CreateAccessTokenResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { unauthenticated } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { mintAccessToken, readTokenName, readTtl } from '../domain/access-token';
import { insertFurtherToken } from '../storage/access-tokens';
import type { Dependencies, Handler } from './dependencies';

export function createAccessToken({ database, now }: Dependencies): Handler<'createAccessToken'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const { token, row } = mintAccessToken(caller.userId, readTtl(request.ttl), now());
    const name = readTokenName(request.name);
    // Revoked during the request: a token must not outlive a change of the password by creating others.
    if (!(await insertFurtherToken(database, row, { madeWith: caller.tokenHash, name }))) {
      throw unauthenticated('AUTHORIZATION_REQUIRED', 'Authorization Required');
    }
    return CreateAccessTokenResponse.fromPartial({
      id: token,
      ttl: row.ttl,
      created: row.createdAt,
      userId: row.userId,
      name: name ?? undefined,
    });
  };
}
