import { GetSessionResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Dependencies, Handler } from './dependencies';
import { readSession } from './read-session';

export function getSession(dependencies: Dependencies): Handler<'getSession'> {
  return async (_request, context) =>
    GetSessionResponse.fromPartial({ session: await readSession(dependencies, requireCaller(context)) });
}
