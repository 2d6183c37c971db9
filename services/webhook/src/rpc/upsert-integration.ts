import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { UpsertIntegrationResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import type { UpsertIntegrationRequest } from '@sabia/protos/sabia/webhook/v1/messages';
import { alreadyExists, invalid, notFound, unprocessable } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { taken, Violations } from '@sabia/service-kit/validation/violations';
import type { Integration } from '../domain/integration';
import { checkIntegration } from '../domain/integration-input';
import { newSecret } from '../domain/signature';
import {
  countIntegrations,
  insertIntegration,
  lockIntegration,
  lockIntegrationOfGateway,
  lockNewIntegrations,
  updateIntegration,
} from '../storage/integrations';
import type { Dependencies, Handler } from './dependencies';
import { toIntegrationMessage } from './messages';

const context = 'integration';
const gatewayKey = 'integrations_gateway_key';

export function upsertIntegration(dependencies: Dependencies): Handler<'upsertIntegration'> {
  const { database, vault } = dependencies;
  return async (request, call) => {
    const caller = requireCaller(call);
    const attempt = () => database.transaction((tx) => upsert(dependencies, tx, caller, request));
    const integration = await attempt().catch((error: unknown) => {
      if (!isUniqueViolation(error, gatewayKey)) {
        throw error;
      }
      if (request.id) {
        const [code, message] = taken;
        throw invalid(context, [{ field: 'gateway', code, message }]);
      }
      // A concurrent request has just created it: now there is one to update, or to refuse.
      return attempt();
    });
    return UpsertIntegrationResponse.fromPartial({ integration: toIntegrationMessage(integration, vault) });
  };
}

async function upsert(
  { vault, allowPrivate, maximumIntegrations, now }: Dependencies,
  tx: Transaction,
  caller: Caller,
  request: UpsertIntegrationRequest,
): Promise<Integration> {
  const { accountId, userId } = caller;
  const before = await findExisting(tx, caller, request);
  if (before !== undefined && request.createOnly) {
    throw alreadyExists(`There is already an integration "${before.gateway}".`);
  }
  const violations = new Violations();
  const fields = checkIntegration(violations, request, before, { allowPrivate });
  violations.throwIfAny(context);
  if (before === undefined) {
    await lockNewIntegrations(tx, accountId);
    if ((await countIntegrations(tx, accountId)) >= maximumIntegrations) {
      throw unprocessable('TOO_MANY_INTEGRATIONS', `The account may have at most ${maximumIntegrations} integrations.`);
    }
    return insertIntegration(tx, { ...fields, accountId, userId, secret: vault.seal(accountId, newSecret()) }, now());
  }
  const revive = fields.webhook && (request.webhook === true || fields.metadata !== before.metadata);
  return updateIntegration(tx, before.id, fields, { revive, now: now() });
}

async function findExisting(
  tx: Transaction,
  { accountId, userId }: Caller,
  { id, gateway }: UpsertIntegrationRequest,
): Promise<Integration | undefined> {
  // 0 counts as absent.
  if (id) {
    const integration = await lockIntegration(tx, accountId, id);
    if (integration === undefined) {
      throw notFound('integration', id);
    }
    return integration;
  }
  const name = (gateway ?? '').trim().toWellFormed();
  return name === '' || name.includes('\0')
    ? undefined
    : lockIntegrationOfGateway(tx, { accountId, userId, gateway: name });
}
