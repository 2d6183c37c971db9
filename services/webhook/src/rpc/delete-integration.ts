import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { removeLeftovers } from '../storage/deleted-integrations';
import { deleteIntegration as remove } from '../storage/integrations';
import type { Dependencies, Handler } from './dependencies';

/** Housekeeping removes what is left then. */
const longestMs = 2_000;

/** Its deliveries go with it, also those that were still to be sent; nobody sees them any more from the first moment on. */
export function deleteIntegration({ database }: Dependencies): Handler<'deleteIntegration'> {
  return async ({ id }, context) => {
    if (!(await remove(database, requireCaller(context).accountId, id))) {
      throw notFound('integration', id);
    }
    const giveUpAt = performance.now() + longestMs;
    await removeLeftovers(database, id, () => performance.now() > giveUpAt).catch((error: unknown) =>
      context.log.warn({ err: error, integration: id }, 'deliveries of a deleted integration are left to housekeeping'),
    );
    return {};
  };
}
