import { SabiaError } from '@sabia/client';
import type { Delivery, DeliveryIntegration, Integration, ReplayDeliveriesRequest } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { sabia } from '../../api/client';
import { alreadyTaken } from '../../api/errors';
import { settingsOf } from './integration-settings';
import type { IntegrationSettings } from './integration-settings';

export type { Delivery, DeliveryAttempt as Attempt, Integration } from '@sabia/client';
/** The integration of a delivery, and where its webhooks go now. */
export type Receiver = DeliveryIntegration;

export function useIntegrations() {
  return useQuery({ queryKey: ['webhooks', 'list'], queryFn: () => sabia.webhooks.list() });
}

/** Null: there is no such integration in the account. */
export function useIntegration(id: number) {
  return useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: async () => (await sabia.webhooks.list()).find((each) => each.id === id) ?? null,
  });
}

export function useHealth(id: number) {
  return useQuery({
    queryKey: ['webhooks', 'one', id, 'health'],
    queryFn: () => sabia.webhooks.health(id),
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
    queryFn: () => sabia.webhooks.deliveries(id, { filter: { where, limit: 50 } }).page(page),
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
    gateway,
    webhook: enabled,
    webhookConstraint: constraint,
    metadata: { ...kept, ...metadata },
  };
  return id === undefined ? sabia.webhooks.create(body) : sabia.webhooks.update(id, body);
}

export async function createIntegration(settings: IntegrationSettings) {
  try {
    return await saveIntegration({ settings });
  } catch (error) {
    throw error instanceof SabiaError && error.code === 'ALREADY_EXISTS' ? alreadyTaken('gateway') : error;
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

export const deleteIntegration = (id: number) => sabia.webhooks.delete(id);

export const rotateSecret = (id: number) => sabia.webhooks.rotateSecret(id);

export const sendTest = (id: number) => sabia.webhooks.test(id);

/** Sends a delivery again; the log of the integration and the page of the call both show it. */
export function useReplayDelivery({ id, callId }: Delivery, receiver: Receiver) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => sabia.webhooks.replayDelivery(receiver.id, id),
    onSettled: () =>
      Promise.all(
        [['webhooks'], ['calls', 'one', callId, 'deliveries']].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export const replaySpan = ({ id, ...body }: { id: number } & ReplayDeliveriesRequest) =>
  sabia.webhooks.replay(id, body);

export const tryConstraint = (webhookConstraint: Record<string, unknown>) =>
  sabia.webhooks.tryConstraint({ webhookConstraint, limit: 50 });
