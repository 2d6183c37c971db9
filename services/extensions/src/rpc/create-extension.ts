import { CreateExtensionRequest, CreateExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { answerOnce } from '@sabia/service-kit/postgres/answer-once';
import { addExtension } from './add-extension';
import type { Dependencies, Handler } from './dependencies';
import { keptExtension } from './kept-extension';
import { toInput } from './messages';

export function createExtension(dependencies: Dependencies): Handler<'createExtension'> {
  const { database, now } = dependencies;

  return async (request, context) => {
    const caller = requireCaller(context);
    const messages = { request, Request: CreateExtensionRequest, Response: CreateExtensionResponse };
    return answerOnce(
      { database, now, context, ...messages },
      {
        act: (transact) => addExtension(dependencies, caller, toInput(request), transact),
        ...keptExtension(dependencies, caller, request.senha),
      },
    );
  };
}
