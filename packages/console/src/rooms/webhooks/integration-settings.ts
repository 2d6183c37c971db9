import type { Integration } from '@sabia/client';

export const webhookTypes = ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded', 'call-priced'];

export interface IntegrationSettings {
  gateway: string;
  enabled: boolean;
  constraint: Record<string, unknown>;
  webhookUrl: string;
  webhookTypes: string[];
}

/** The API's default for an integration that names no types. */
const defaultTypes = ['channel-answer', 'channel-hangup'];

export function settingsOf({ gateway, webhook, webhookConstraint, metadata }: Integration): IntegrationSettings {
  const { webhookUrl, webhookTypes: types } = metadata;
  return {
    gateway,
    enabled: webhook,
    constraint: webhookConstraint ?? {},
    webhookUrl: typeof webhookUrl === 'string' ? webhookUrl : '',
    webhookTypes: Array.isArray(types) ? types.filter((type) => typeof type === 'string') : defaultTypes,
  };
}

export interface ConstraintPair {
  key: string;
  value: string;
}

/** The constraint as rows of an editor. Pairs below "metadata" mean the same as pairs beside it. */
export function pairsOf(constraint: Record<string, unknown>): ConstraintPair[] {
  return Object.entries(constraint).flatMap(([key, value]) =>
    key === 'metadata' && typeof value === 'object' && value !== null
      ? pairsOf(value as Record<string, unknown>)
      : [{ key, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
}

export function constraintOf(pairs: readonly ConstraintPair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]));
}
