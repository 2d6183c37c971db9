import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, alreadyTaken } from '../../api/api-error';
import { api, bodyOf } from '../../api/client';
import type { Schemas } from '../../api/client';
import { settingsOf } from './integration-settings';
import type { IntegrationSettings } from './integration-settings';

export type Integration = Schemas['Integration'];
export type Delivery = Schemas['Delivery'];
export type Attempt = Schemas['DeliveryAttempt'];
/** The integration of a delivery, and where its webhooks go now. */
export type Receiver = Schemas['DeliveryIntegration'];

export function useIntegrations() {
  return useQuery({ queryKey: ['webhooks', 'list'], queryFn: () => bodyOf(api.GET('/api/v1/integrations')) });
}

/** Null: there is no such integration in the account. */
export function useIntegration(id: number) {
  return useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: async () => (await bodyOf(api.GET('/api/v1/integrations'))).find((each) => each.id === id) ?? null,
  });
}

export function useHealth(id: number) {
  return useQuery({
    queryKey: ['webhooks', 'one', id, 'health'],
    queryFn: () => bodyOf(api.GET('/api/v1/integrations/{id}/health', { params: { path: { id } } })),
  });
}

export interface DeliveryFilter {
  status: string;
  eventType: string;
  callId: string;
}

export function useDeliveries(id: number, page: number, filter: DeliveryFilter) {
  const where = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  return useQuery({
    queryKey: ['webhooks', 'one', id, 'deliveries', page, where],
    queryFn: () =>
      bodyOf(
        api.GET('/api/v1/integrations/{id}/deliveries', {
          params: { path: { id }, query: { page, filter: JSON.stringify({ where }) } },
        }),
      ),
    placeholderData: (previous) => previous,
  });
}

/** A mutation after which everything about webhooks is asked for again. */
export function useWebhookChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}

export function saveIntegration({ id, settings, kept }: SaveIntegration) {
  const { gateway, enabled, constraint, ...metadata } = settings;
  const body = {
    ...(id === undefined ? {} : { id }),
    gateway,
    webhook: enabled,
    webhookConstraint: constraint,
    metadata: { ...kept, ...metadata },
  };
  // Without the header the integration that has this name already would be changed.
  const params = id === undefined ? { header: { 'If-None-Match': '*' as const } } : {};
  return bodyOf(api.PATCH('/api/v1/integrations', { body, params }));
}

export async function createIntegration(settings: IntegrationSettings) {
  try {
    return await saveIntegration({ settings });
  } catch (error) {
    throw error instanceof ApiError && error.code === 'ALREADY_EXISTS' ? alreadyTaken('gateway') : error;
  }
}

export interface SaveIntegration {
  /** Undefined: a new integration. */
  id?: number;
  settings: IntegrationSettings;
  /** What else the integration's metadata holds; it is not the console's to drop. */
  kept?: Record<string, unknown>;
}

/** The integration as it is, with some settings changed. */
export function withChange(integration: Integration, change: Partial<IntegrationSettings>): SaveIntegration {
  return {
    id: integration.id,
    settings: { ...settingsOf(integration), ...change },
    kept: integration.metadata,
  };
}

const pathOf = (id: number) => ({ params: { path: { id } } });

export const deleteIntegration = (id: number) => api.DELETE('/api/v1/integrations/{id}', pathOf(id));

export const rotateSecret = (id: number) => bodyOf(api.POST('/api/v1/integrations/{id}/rotate-secret', pathOf(id)));

export const sendTest = (id: number) => bodyOf(api.POST('/api/v1/integrations/{id}/test', pathOf(id)));

/** Sends a delivery again; the log of the integration and the page of the call both show it. */
export function useReplayDelivery({ id, callId }: Delivery, receiver: Receiver) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/api/v1/integrations/{id}/deliveries/{delivery_id}/replay', {
          params: { path: { id: receiver.id, delivery_id: id } },
        }),
      ),
    onSettled: () =>
      Promise.all(
        [['webhooks'], ['calls', 'one', callId, 'deliveries']].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export const replaySpan = ({ id, ...body }: { id: number } & Schemas['ReplayDeliveriesRequest']) =>
  bodyOf(api.POST('/api/v1/integrations/{id}/replay', { ...pathOf(id), body }));

export const tryConstraint = (webhookConstraint: Record<string, unknown>) =>
  bodyOf(api.POST('/api/v1/integrations/try-constraint', { body: { webhookConstraint, limit: 50 } }));
