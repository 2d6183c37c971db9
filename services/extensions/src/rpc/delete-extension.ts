import { DeleteExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { extensionDeleted } from '../events/published';
import { deleteExtension as remove } from '../storage/extensions';
import type { Dependencies, Handler } from './dependencies';

export function deleteExtension(dependencies: Dependencies): Handler<'deleteExtension'> {
  const { database, outbox, turns, dropFromCaches } = dependencies;
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    const extension = await turns.run(accountId, () =>
      database.transaction(async (tx) => {
        const removed = await remove(tx, accountId, id);
        if (removed !== undefined) {
          await outbox.write(tx, [extensionDeleted(removed)]);
        }
        return removed;
      }),
    );
    // Also when it is gone already: the answer of the request that deleted it may be lost, and its broadcast with it.
    await dropFromCaches(accountId);
    if (extension === undefined) {
      throw notFound('extension', id);
    }
    return DeleteExtensionResponse.fromPartial({});
  };
}
