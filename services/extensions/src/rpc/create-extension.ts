import { CreateExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { addExtension } from './add-extension';
import type { Dependencies, Handler } from './dependencies';
import { toInput, toMessageFor, toReader } from './messages';

export function createExtension(dependencies: Dependencies): Handler<'createExtension'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const extension = await addExtension(dependencies, caller, toInput(request));
    return CreateExtensionResponse.fromPartial({
      extension: toMessageFor(toReader(caller), extension, dependencies.vault),
    });
  };
}
