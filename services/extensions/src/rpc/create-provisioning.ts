import { CreateProvisioningResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { denied, notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { hashOf, linkLifetimeMs, newToken } from '../domain/provisioning-token';
import { maySeeSenha } from '../domain/senha-reader';
import { findExtension } from '../storage/extensions';
import { replaceLink } from '../storage/provisioning-links';
import type { Dependencies, Handler } from './dependencies';
import { toReader } from './messages';

export function createProvisioning({ database, now }: Dependencies): Handler<'createProvisioning'> {
  return async ({ id }, context) => {
    const caller = requireCaller(context);
    const { accountId } = caller;
    const extension = await findExtension(database, accountId, id);
    if (extension === undefined) {
      throw notFound('extension', id);
    }
    if (!maySeeSenha(toReader(caller), extension)) {
      throw denied('Only administrators and the user of the extension may set up a phone for it.');
    }
    const token = newToken();
    const expiresAt = new Date(now().getTime() + linkLifetimeMs);
    if (!(await replaceLink(database, { accountId, extensionId: id, hash: hashOf(token), expiresAt }))) {
      throw notFound('extension', id);
    }
    // The gateway serves it.
    return CreateProvisioningResponse.fromPartial({
      provisioning: { path: `/provision/${token}`, expiresAt },
    });
  };
}
