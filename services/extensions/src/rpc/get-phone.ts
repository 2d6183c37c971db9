import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findExtensionOfUser } from '../storage/extensions';
import type { Dependencies, Handler } from './dependencies';
import { toPhone } from './phone';

export function getPhone(dependencies: Dependencies): Handler<'getPhone'> {
  return async (_request, context) => {
    const caller = requireCaller(context);
    // An address that is not confirmed is empty, and grants nothing.
    const extension =
      caller.email === ''
        ? undefined
        : await findExtensionOfUser(dependencies.database, caller.accountId, caller.email);
    return { phone: toPhone(dependencies, caller, extension) };
  };
}
