import { LoginResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { readTtl } from '../domain/access-token';
import type { Dependencies, Handler } from './dependencies';
import { proveLogin } from './prove-login';

export function login(dependencies: Dependencies): Handler<'login'> {
  return async (request, context) => {
    const { token, row } = await proveLogin(dependencies, request, context, {
      kind: 'api',
      readTtl: () => readTtl(request.ttl),
    });
    return LoginResponse.fromPartial({ id: token, ttl: row.ttl, created: row.createdAt, userId: row.userId });
  };
}
