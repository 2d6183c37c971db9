import { ResolveExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import type { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import { accountSuspended, badRequest, notFound } from '@sabia/service-kit/errors';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { Batcher } from '@sabia/service-kit/work/batcher';
import { normalizePhone } from '../domain/bina';
import { findByBina, findById, findByRamal, findBySipId } from '../storage/resolve-extension';
import type { NamedExtension, ResolvedExtension } from '../storage/resolve-extension';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

/** For other services, without a caller: the account is named in the request, and no senha is returned. A suspended account has none. */
export function resolveExtension(dependencies: Dependencies): Handler<'resolveExtension'> {
  const { database } = dependencies;
  // Calls ask by the number of their extension: those that ask at the same time share a statement.
  const byRamal = createBatcher({
    batchSize: 64,
    patienceMs: 200,
    write: (asked: NamedExtension[]) => findByRamal(database, asked),
  });
  return async (request) => {
    const extension = await find(dependencies, byRamal, request);
    if (extension === undefined) {
      throw notFound('extension', request.ramal || request.bina || request.extensionId);
    }
    if (extension.suspensionReason !== null) {
      throw accountSuspended(extension.suspensionReason);
    }
    return ResolveExtensionResponse.fromPartial({ extension: toMessage(extension), accountId: extension.accountId });
  };
}

function find(
  { database, phoneCountry }: Dependencies,
  byRamal: Batcher<NamedExtension, ResolvedExtension | undefined>,
  { accountId, extensionId, domain, ramal, bina }: ResolveExtensionRequest,
): Promise<ResolvedExtension | undefined> {
  if (extensionId !== 0 && accountId !== 0) {
    return findById(database, accountId, extensionId);
  }
  if (ramal !== '' && accountId !== 0) {
    return byRamal.add({ accountId, ramal });
  }
  if (ramal !== '' && domain !== '') {
    return findBySipId(database, `${ramal}@${domain.toLowerCase()}`);
  }
  if (ramal === '' && bina !== '') {
    return findByBina(database, normalizePhone(bina, phoneCountry) ?? bina, accountId === 0 ? undefined : accountId);
  }
  throw badRequest('INVALID_REQUEST', 'Name a ramal or an id with an account_id, a ramal with a domain, or a bina.');
}
