import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type { ReplayDeliveriesRequest, TryConstraintRequest, UpsertIntegrationRequest } from '../generated/types.gen';
import { Pages, filterText, pagedFilterText } from '../pages';
import type { ListOptions } from '../pages';
import type { RequestOptions } from '../request-options';
import { signWebhook } from '../webhooks/signature';
import { verifyWebhook } from '../webhooks/verify';

export function webhooksOf(client: Client) {
  return {
    verify: verifyWebhook,
    sign: signWebhook,

    /** The integrations of the account. */
    list: ({ filter, signal }: ListOptions = {}) =>
      api.listIntegrations({ client, query: { filter: filterText(filter) }, signal }),

    /** Creates an integration; `gateway` must be a new name (412 `ALREADY_EXISTS`). */
    create: (body: Omit<UpsertIntegrationRequest, 'id'>, options: RequestOptions = {}) =>
      api.upsertIntegration({ client, body, headers: { 'If-None-Match': '*' }, ...options }),

    update: (id: number, body: Omit<UpsertIntegrationRequest, 'id'>, options: RequestOptions = {}) =>
      api.upsertIntegration({ client, body: { ...body, id }, ...options }),

    delete: async (id: number, options: RequestOptions = {}): Promise<void> => {
      await api.deleteIntegration({ client, path: { id }, ...options });
    },

    /** A new secret; the former signs as well for another day. */
    rotateSecret: (id: number, options: RequestOptions = {}) => api.rotateSecret({ client, path: { id }, ...options }),

    /** Sends a signed sample of each chosen type, and answers with what the receiver said. */
    test: (id: number, options: RequestOptions = {}) => api.testIntegration({ client, path: { id }, ...options }),

    deliveries: (id: number, { filter, signal }: ListOptions = {}) =>
      new Pages((page) =>
        api.listDeliveries({ client, path: { id }, query: { page, filter: pagedFilterText(filter) }, signal }),
      ),

    replayDelivery: (id: number, deliveryId: string, options: RequestOptions = {}) =>
      api.replayDelivery({ client, path: { id, delivery_id: deliveryId }, ...options }),

    /** Sends the deliveries of a span of time again. */
    replay: (id: number, body: ReplayDeliveriesRequest, options: RequestOptions = {}) =>
      api.replayDeliveries({ client, path: { id }, body, ...options }),

    /** How far a replay has come. */
    replayState: (id: number, replayId: string, options: RequestOptions = {}) =>
      api.getReplay({ client, path: { id, replay_id: replayId }, ...options }),

    health: (id: number, options: RequestOptions = {}) =>
      api.getIntegrationHealth({ client, path: { id }, ...options }),

    /** Which of the newest calls a constraint lets through. */
    tryConstraint: (body: TryConstraintRequest, options: RequestOptions = {}) =>
      api.tryConstraint({ client, body, ...options }),
  };
}
