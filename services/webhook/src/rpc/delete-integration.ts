import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { removeLeftovers } from '../storage/deleted-integrations';
import { deleteIntegration as remove } from '../storage/integrations';
import type { Dependencies, Handler } from './dependencies';

/** Housekeeping removes the deliveries that are left after this time. */
const longestMs = 2_000;

/** Deletes its deliveries, too, also those still to be sent; from the first moment on no list shows them. */
export function deleteIntegration({ database }: Dependencies): Handler<'deleteIntegration'> {
  return async ({ id }, context) => {
    if (!(await remove(database, requireCaller(context).accountId, id))) {
      throw notFound('integration', id);
    }
    await removeLeftovers(database, id, AbortSignal.timeout(longestMs)).catch((error: unknown) =>
      context.log.warn({ err: error, integration: id }, 'deliveries of a deleted integration are left to housekeeping'),
    );
    return {};
  };
}
