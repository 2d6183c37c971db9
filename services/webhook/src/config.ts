import {
  chassisVariables,
  ConfigError,
  durationVariable,
  flagVariable,
  integerVariable,
  readEnvironment,
  toChassisConfig,
} from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { keyListVariable } from '@sabia/service-kit/key-list';
import type { SecretKey } from './domain/secret-vault';

export interface Config {
  chassis: ChassisConfig;
  /** Webhooks may go to hosts outside the public Internet, for a stack on one machine. */
  allowPrivate: boolean;
  /** The first one seals, all of them open. Without keys secrets are stored unencrypted. */
  secretKeys: SecretKey[];
  /** The time a receiver has to answer. */
  timeoutMs: number;
  /** How long a delivery belongs to the process that took it. */
  leaseMs: number;
  /** An event is matched against every webhook of its account. */
  maximumIntegrations: number;
}

const variables = {
  ...chassisVariables,
  ALLOW_PRIVATE_WEBHOOKS: flagVariable().default(false),
  WEBHOOK_KEYS: keyListVariable().optional(),
  WEBHOOK_TIMEOUT_MS: durationVariable().default(15_000),
  DELIVERY_LEASE_MS: durationVariable().default(45_000),
  MAXIMUM_INTEGRATIONS: integerVariable({ min: 1, max: 100_000 }).default(100),
};

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(variables, env);
  if (values.DELIVERY_LEASE_MS <= values.WEBHOOK_TIMEOUT_MS) {
    throw new ConfigError([{ variable: 'DELIVERY_LEASE_MS', reason: 'must be longer than WEBHOOK_TIMEOUT_MS' }]);
  }
  return {
    chassis: toChassisConfig(values),
    allowPrivate: values.ALLOW_PRIVATE_WEBHOOKS,
    secretKeys: values.WEBHOOK_KEYS ?? [],
    timeoutMs: values.WEBHOOK_TIMEOUT_MS,
    leaseMs: values.DELIVERY_LEASE_MS,
    maximumIntegrations: values.MAXIMUM_INTEGRATIONS,
  };
}
