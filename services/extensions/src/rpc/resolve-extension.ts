import { ResolveExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import type { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import { badRequest, notFound } from '@sabia/service-kit/errors';
import type { StoredExtension } from '../domain/extension';
import { normalizePhone } from '../domain/bina';
import { findExtension } from '../storage/extensions';
import { findByBina, findByRamal, findBySipId } from '../storage/resolve-extension';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

/** For other services, without a caller: the account is named in the request, and no senha is returned. */
export function resolveExtension(dependencies: Dependencies): Handler<'resolveExtension'> {
  return async (request) => {
    const extension = await find(dependencies, request);
    if (extension === undefined) {
      throw notFound('extension', request.ramal || request.bina || request.extensionId);
    }
    return ResolveExtensionResponse.fromPartial({ extension: toMessage(extension), accountId: extension.accountId });
  };
}

function find(
  { database, phoneCountry }: Dependencies,
  { accountId, extensionId, domain, ramal, bina }: ResolveExtensionRequest,
): Promise<StoredExtension | undefined> {
  if (extensionId !== 0 && accountId !== 0) {
    return findExtension(database, accountId, extensionId);
  }
  if (ramal !== '' && accountId !== 0) {
    return findByRamal(database, accountId, ramal);
  }
  if (ramal !== '' && domain !== '') {
    return findBySipId(database, `${ramal}@${domain.toLowerCase()}`);
  }
  if (ramal === '' && bina !== '') {
    return findByBina(database, normalizePhone(bina, phoneCountry) ?? bina, accountId === 0 ? undefined : accountId);
  }
  throw badRequest('INVALID_REQUEST', 'Name a ramal or an id with an account_id, a ramal with a domain, or a bina.');
}
