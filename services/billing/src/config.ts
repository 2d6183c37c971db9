import path from 'node:path';
import {
  ConfigError,
  chassisVariables,
  durationVariable,
  flagVariable,
  integerVariable,
  readEnvironment,
  toChassisConfig,
  urlVariable,
} from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { isSupportedCountry } from 'libphonenumber-js';
import { z } from 'zod';
import { gateways } from './domain/charge';
import type { GatewayName } from './domain/charge';
import { fromDecimal } from './domain/money';
import type { Money } from './domain/money';

export interface AsaasConfig {
  url: string;
  apiKey: string;
  webhookToken: string;
  timeoutMs: number;
}

export interface Config {
  chassis: ChassisConfig;
  /** The public address of the gateway, for payment links. */
  publicUrl: string;
  /** Collects new charges. */
  gateway: GatewayName;
  /** Whether charges of the sandbox, which every holder of the link can pay by pressing a button, can be paid here. */
  allowSandbox: boolean;
  /** Set also when it is not the current provider, for charges made while it was. */
  asaas?: AsaasConfig;
  /** Talking time that is paid for before a call is dialled. */
  reservationSeconds: number;
  /** How long after that time an unused reservation expires. */
  reservationGraceSeconds: number;
  /** How long the money side of a call is kept, in whole months. */
  reservationRetentionDays: number;
  lowCreditThreshold: Money;
  /** How often the decks are looked at for changes. */
  rateRefreshMs: number;
  /** Imported into the default deck when there is no rate at all. */
  ratesSeedFile?: string;
  /** The country of destinations without a country code. */
  phoneCountry: string;
}

const variables = {
  ...chassisVariables,
  PUBLIC_URL: urlVariable('http', 'https').default('http://localhost:8080'),
  // No default: a deployment that forgot to choose must not give credit away.
  PAYMENT_GATEWAY: z.enum(gateways),
  ALLOW_SANDBOX_PAYMENTS: flagVariable().default(false),
  ASAAS_URL: urlVariable('http', 'https').default('https://api.asaas.com/v3'),
  ASAAS_API_KEY: z.string().optional(),
  ASAAS_WEBHOOK_TOKEN: z.string().optional(),
  ASAAS_TIMEOUT_MS: integerVariable({ min: 100, max: 60_000 }).default(10_000),
  RESERVATION_SECONDS: integerVariable({ min: 1, max: 3_600 }).default(60),
  RESERVATION_GRACE_SECONDS: integerVariable({ min: 1, max: 86_400 }).default(900),
  // Longer than the end of a call can be told again: dead letters are kept for 30 days, and the stream keeps what is replayed for 7.
  RESERVATION_RETENTION_DAYS: integerVariable({ min: 60, max: 36_500 }).default(400),
  LOW_CREDIT_THRESHOLD: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,4})?$/, 'expected an amount in reais, such as 10.00')
    .transform(fromDecimal)
    .default(fromDecimal('10')),
  RATE_REFRESH_MS: durationVariable().default(2_000),
  RATES_SEED_FILE: z.string().optional(),
  PHONE_COUNTRY: z.string().refine(isSupportedCountry, 'expected a country code of two letters').default('BR'),
};

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(variables, env);
  refuseSandbox(values);
  return {
    chassis: toChassisConfig(values),
    publicUrl: values.PUBLIC_URL.replace(/\/+$/, ''),
    gateway: values.PAYMENT_GATEWAY,
    allowSandbox: values.ALLOW_SANDBOX_PAYMENTS,
    asaas: readAsaas(values),
    reservationSeconds: values.RESERVATION_SECONDS,
    reservationGraceSeconds: values.RESERVATION_GRACE_SECONDS,
    reservationRetentionDays: values.RESERVATION_RETENTION_DAYS,
    lowCreditThreshold: values.LOW_CREDIT_THRESHOLD,
    rateRefreshMs: values.RATE_REFRESH_MS,
    ratesSeedFile: values.RATES_SEED_FILE,
    phoneCountry: values.PHONE_COUNTRY,
  };
}

type Values = z.output<z.ZodObject<typeof variables>>;

function refuseSandbox({ PAYMENT_GATEWAY: gateway, ALLOW_SANDBOX_PAYMENTS: allowed }: Values): void {
  if (gateway === 'sandbox' && !allowed) {
    const reason =
      'is sandbox, which gives credit to whoever presses a button: use asaas, or set ALLOW_SANDBOX_PAYMENTS=true where credit is worth nothing';
    throw new ConfigError([{ variable: 'PAYMENT_GATEWAY', reason }]);
  }
}

function readAsaas(values: Values): AsaasConfig | undefined {
  const { ASAAS_API_KEY: apiKey, ASAAS_WEBHOOK_TOKEN: webhookToken } = values;
  if (apiKey !== undefined && webhookToken !== undefined) {
    return { url: values.ASAAS_URL, apiKey, webhookToken, timeoutMs: values.ASAAS_TIMEOUT_MS };
  }
  if (values.PAYMENT_GATEWAY === 'asaas' || apiKey !== undefined || webhookToken !== undefined) {
    const given = { ASAAS_API_KEY: apiKey, ASAAS_WEBHOOK_TOKEN: webhookToken };
    throw new ConfigError(
      Object.entries(given)
        .filter(([, value]) => value === undefined)
        .map(([variable]) => ({ variable, reason: 'is required to collect charges through Asaas' })),
    );
  }
  return undefined;
}

export interface ImportConfig {
  /** Undefined for the database of the stack whose home is given. */
  databaseUrl?: string;
  stackFile: string;
  /** The folder in which the command was entered; npm itself changes the folder. */
  cwd: string;
}

export function loadImportConfig(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()): ImportConfig {
  const values = readEnvironment(
    {
      DATABASE_URL: urlVariable('postgres', 'postgresql').optional(),
      SABIA_HOME: z.string().default('.sabia'),
      INIT_CWD: z.string().default(cwd),
    },
    env,
  );
  // A relative home means the project's folder, as it does for the stack itself.
  const home = path.resolve(__dirname, '../../..', values.SABIA_HOME);
  return { databaseUrl: values.DATABASE_URL, stackFile: path.join(home, 'stack.json'), cwd: values.INIT_CWD };
}
