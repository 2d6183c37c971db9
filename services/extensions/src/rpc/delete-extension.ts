import { DeleteExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { extensionDeleted } from '../events/published';
import { deleteExtension as remove } from '../storage/extensions';
import type { Dependencies, Handler } from './dependencies';

export function deleteExtension({ database, outbox, turns, dropFromCaches }: Dependencies): Handler<'deleteExtension'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    const event = await turns.run(accountId, () =>
      database.transaction(async (tx) => {
        const extension = await remove(tx, accountId, id);
        if (extension === undefined) {
          throw notFound('extension', id);
        }
        const deleted = extensionDeleted(extension);
        await outbox.write(tx, [deleted]);
        return deleted;
      }),
    );
    await dropFromCaches(event);
    return DeleteExtensionResponse.fromPartial({});
  };
}
