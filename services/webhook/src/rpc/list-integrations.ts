import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listIntegrations as list } from '../storage/integration-list';
import type { Dependencies, Handler } from './dependencies';
import { toIntegrationMessage } from './messages';

export function listIntegrations({ database, vault }: Dependencies): Handler<'listIntegrations'> {
  return async ({ filter }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const integrations = await list(database, { accountId, timeZone, filter });
    return { integrations: integrations.map((integration) => toIntegrationMessage(integration, vault)) };
  };
}
