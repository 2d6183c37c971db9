import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { deleteIntegration as remove } from '../storage/integrations';
import type { Dependencies, Handler } from './dependencies';

/** Its deliveries go with it, also those that were still to be sent. */
export function deleteIntegration({ database }: Dependencies): Handler<'deleteIntegration'> {
  return async ({ id }, context) => {
    if (!(await remove(database, requireCaller(context).accountId, id))) {
      throw notFound('integration', id);
    }
    return {};
  };
}
