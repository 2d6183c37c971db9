import { GetExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findExtension } from '../storage/extensions';
import type { Dependencies, Handler } from './dependencies';
import { toMessageFor, toReader } from './messages';

export function getExtension({ database, vault }: Dependencies): Handler<'getExtension'> {
  return async ({ id }, context) => {
    const caller = requireCaller(context);
    const extension = await findExtension(database, caller.accountId, id);
    if (extension === undefined) {
      throw notFound('extension', id);
    }
    return GetExtensionResponse.fromPartial({ extension: toMessageFor(toReader(caller), extension, vault) });
  };
}
