import { CreateSessionResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { sessionTtlSeconds } from '../domain/session';
import type { Dependencies, Handler } from './dependencies';
import { proveLogin } from './prove-login';
import { readSession } from './read-session';

/** A login whose token is for a cookie. */
export function createSession(dependencies: Dependencies): Handler<'createSession'> {
  return async (request, context) => {
    const { token, row, user } = await proveLogin(dependencies, request, context, {
      kind: 'session',
      readTtl: () => sessionTtlSeconds,
    });
    const session = await readSession(dependencies, { accountId: user.accountId, userId: user.id });
    return CreateSessionResponse.fromPartial({ session, token, ttl: row.ttl });
  };
}
