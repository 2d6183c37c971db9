import { CreateAccessTokenResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { unauthenticated } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/server';
import { isForeignKeyViolation } from '@sabia/service-kit/postgres/errors';
import { mintAccessToken, readTtl } from '../domain/access-token';
import { insertAccessToken } from '../storage/access-tokens';
import type { Dependencies, Handler } from './dependencies';

export function createAccessToken({ database, now }: Dependencies): Handler<'createAccessToken'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const { token, row } = mintAccessToken(caller.userId, readTtl(request.ttl), now());
    try {
      await insertAccessToken(database, row);
    } catch (error) {
      // Deleted while the request was on its way.
      throw isForeignKeyViolation(error) ? unauthenticated('AUTHORIZATION_REQUIRED', 'Authorization Required') : error;
    }
    return CreateAccessTokenResponse.fromPartial({
      id: token,
      ttl: row.ttl,
      created: row.createdAt,
      userId: row.userId,
    });
  };
}
