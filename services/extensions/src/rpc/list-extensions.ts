import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { extensionsOf, listExtensions as list } from '../storage/extension-list';
import type { Dependencies, Handler } from './dependencies';
import { toMessageFor, toReader } from './messages';

export function listExtensions({ database, vault, phoneCountry }: Dependencies): Handler<'listExtensions'> {
  const resource = extensionsOf(phoneCountry);
  return async ({ filter }, context) => {
    const caller = requireCaller(context);
    const reader = toReader(caller);
    const extensions = await list(database, resource, {
      accountId: caller.accountId,
      timeZone: caller.timeZone,
      filter,
    });
    return { extensions: extensions.map((extension) => toMessageFor(reader, extension, vault)) };
  };
}
