import { ListAccessTokensResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listLiveTokens } from '../storage/access-tokens';
import type { Dependencies, Handler } from './dependencies';

export function listAccessTokens({ database, now }: Dependencies): Handler<'listAccessTokens'> {
  return async (_request, context) => {
    const { userId, tokenHash } = requireCaller(context);
    const tokens = await listLiveTokens(database, userId, now());
    return ListAccessTokensResponse.fromPartial({
      tokens: tokens.map(({ prefix, ttl, createdAt, lastUsedAt, name, hash }) => ({
        prefix,
        ttl,
        created: createdAt,
        lastUsed: lastUsedAt ?? undefined,
        name: name ?? undefined,
        current: hash.equals(tokenHash) || undefined,
      })),
    });
  };
}
