import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import {
  ConfigError,
  chassisVariables,
  integerVariable,
  portVariable,
  readEnvironment,
  toChassisConfig,
  urlVariable,
} from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { z } from 'zod';
import type { TimePolicy } from './domain/live-call';
import { DEFAULT_CAPACITY, readSwitches } from './domain/switch-node';
import { readTrunks } from './domain/trunk';
import type { Trunk } from './domain/trunk';
import type { NodesConfig } from './switch/asterisk/node-list';
import type { S3Config } from './recordings/s3-client';
import { readS3, s3Variables } from './recordings/s3-config';

export interface AsteriskConfig {
  nodes: NodesConfig;
  user: string;
  password: string;
  app: string;
  /** Where copies of SIP messages come in, over UDP. Not given: none are received. */
  capture?: { host: string; port: number };
  /** Header with the value true in the INVITE to the softphone of a call placed through the API. Not given: none. */
  integratedCallHeader?: string;
}

export interface Config {
  chassis: ChassisConfig;
  /** Undefined: the simulated switch. */
  asterisk?: AsteriskConfig;
  /** In the order in which they are tried, unless priorities and costs say otherwise. */
  trunks: Trunk[];
  extensionsAddress: string;
  billingAddress: string;
  webhookAddress: string;
  publicUrl: string;
  recordingsFolder: string;
  /** Used instead of the folder. */
  recordingsS3?: S3Config;
  recordingSecret: string;
  /** 0: recordings are kept for ever. */
  recordingRetentionDays: number;
  /** How long the SIP messages of calls are kept; 0: for ever. */
  captureRetentionDays: number;
  /** How long calls are kept; 0: for ever. */
  callRetentionDays: number;
  /** How long the timelines of calls are kept; 0: for ever. */
  timelineRetentionDays: number;
  policy: TimePolicy;
  /** How long a call waits for a place on a carrier at most. */
  waitSeconds: number;
  /** Live calls per account; 0: no limit. */
  maximumLiveCalls: number;
  /** How long the lease of a replica that has died keeps the others from driving its switches. */
  leaseSeconds: number;
  /** How long calls count as live while no replica reaches their switch. */
  absenceSeconds: number;
  /** How often drivers look for work without being poked. */
  pollMs: number;
  /** The country of numbers without a country code. */
  phoneCountry: CountryCode;
  /** For calls that began on the switch, until identity has published the account's own. */
  timeZone: string;
}

const seconds = (fallback: number, maximum = 86_400) => integerVariable({ min: 1, max: maximum }).default(fallback);

const variables = {
  ...chassisVariables,
  SWITCH: z.enum(['simulated', 'asterisk']).optional(),
  SWITCHES: z.string().transform(readSwitches).optional(),
  SWITCHES_DNS_NAME: z.string().min(1).optional(),
  SWITCH_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,63}$/, 'expected letters, digits, dots, hyphens')
    .default('asterisk'),
  SWITCH_SIP_HOST: z.string().optional(),
  SWITCH_SIP_PORT: portVariable().default(5060),
  SWITCH_CAPACITY: integerVariable({ min: 1, max: 100_000 }).default(DEFAULT_CAPACITY),
  ARI_URL: urlVariable('http', 'https').optional(),
  ARI_USER: z.string().default('sabia'),
  ARI_PASSWORD: z.string().optional(),
  ARI_APP: z.string().default('sabia'),
  SIP_CAPTURE: z.string().transform(readCapture).optional(),
  SIP_CAPTURE_RETENTION_DAYS: integerVariable({ min: 0, max: 36_500 }).default(30),
  // Shorter than the end of a call is told again, its price would be lost with it.
  CALL_RETENTION_DAYS: integerVariable({ min: 0, max: 36_500 })
    .refine((days) => days === 0 || days >= 8, '0 or at least 8')
    .default(0),
  CALL_TIMELINE_RETENTION_DAYS: integerVariable({ min: 0, max: 36_500 }).default(0),
  INTEGRATED_CALL_HEADER: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'expected the name of a header, or off')
    .default('X-Api4comintegratedcall'),
  TRUNKS: z
    .string()
    .transform(readTrunks)
    .default([{ name: 'trunk-test', format: 'e164' }]),
  EXTENSIONS_ADDRESS: z.string().default('dns:///extensions:50051'),
  BILLING_ADDRESS: z.string().default('dns:///billing:50051'),
  WEBHOOK_ADDRESS: z.string().default('dns:///webhook:50051'),
  PUBLIC_URL: urlVariable('http', 'https').default('http://localhost:8080'),
  RECORDINGS_FOLDER: z.string().default('recordings'),
  ...s3Variables,
  RECORDING_SECRET: z.string().min(16, 'expected at least 16 characters').optional(),
  RECORDING_RETENTION_DAYS: integerVariable({ min: 0, max: 36_500 }).default(90),
  RING_TIMEOUT_SECONDS: seconds(45, 600),
  MAXIMUM_WAIT_SECONDS: seconds(60, 3_600),
  MAXIMUM_CALL_SECONDS: seconds(14_400),
  CREDIT_EXTEND_SECONDS: seconds(60, 3_600),
  CREDIT_LEAD_SECONDS: seconds(60, 600),
  WARNING_SECONDS: integerVariable({ min: 0, max: 600 }).default(10),
  MAXIMUM_LIVE_CALLS: integerVariable({ min: 0, max: 1_000_000 }).default(1_000),
  SWITCH_LEASE_SECONDS: seconds(5, 300),
  SWITCH_ABSENCE_SECONDS: seconds(15, 3_600),
  SWITCH_POLL_MS: integerVariable({ min: 10, max: 60_000 }).default(250),
  PHONE_COUNTRY: z
    .string()
    .refine((country): country is CountryCode => isSupportedCountry(country), 'expected a country code of two letters')
    .default('BR'),
  TIME_ZONE: z.string().default('America/Sao_Paulo'),
};

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(variables, env);
  const chassis = toChassisConfig(values);
  return {
    chassis,
    asterisk: readAsterisk(values),
    trunks: values.TRUNKS,
    extensionsAddress: values.EXTENSIONS_ADDRESS,
    billingAddress: values.BILLING_ADDRESS,
    webhookAddress: values.WEBHOOK_ADDRESS,
    publicUrl: values.PUBLIC_URL,
    recordingsFolder: values.RECORDINGS_FOLDER,
    recordingsS3: readS3(values),
    recordingSecret: values.RECORDING_SECRET ?? secretFrom(chassis.databaseUrl),
    recordingRetentionDays: values.RECORDING_RETENTION_DAYS,
    captureRetentionDays: values.SIP_CAPTURE_RETENTION_DAYS,
    callRetentionDays: values.CALL_RETENTION_DAYS,
    timelineRetentionDays: values.CALL_TIMELINE_RETENTION_DAYS,
    policy: {
      ringSeconds: values.RING_TIMEOUT_SECONDS,
      maximumSeconds: values.MAXIMUM_CALL_SECONDS,
      extendSeconds: values.CREDIT_EXTEND_SECONDS,
      extendLeadSeconds: values.CREDIT_LEAD_SECONDS,
      warningSeconds: values.WARNING_SECONDS,
      hangupSeconds: 5,
    },
    waitSeconds: values.MAXIMUM_WAIT_SECONDS,
    maximumLiveCalls: values.MAXIMUM_LIVE_CALLS,
    leaseSeconds: values.SWITCH_LEASE_SECONDS,
    absenceSeconds: values.SWITCH_ABSENCE_SECONDS,
    pollMs: values.SWITCH_POLL_MS,
    phoneCountry: values.PHONE_COUNTRY,
    timeZone: values.TIME_ZONE,
  };
}

type Values = z.output<z.ZodObject<typeof variables>>;

function readAsterisk(values: Values): AsteriskConfig | undefined {
  const { ARI_PASSWORD: password } = values;
  const nodes = readNodes(values);
  if ((values.SWITCH ?? (nodes === undefined ? 'simulated' : 'asterisk')) === 'simulated') {
    return undefined;
  }
  const problems = Object.entries({ ARI_URL: nodes, ARI_PASSWORD: password })
    .filter(([, value]) => value === undefined)
    .map(([variable]) => ({ variable, reason: 'is required' }));
  if (nodes === undefined || password === undefined) {
    throw new ConfigError(problems);
  }
  const { ARI_USER: ariUser, ARI_APP: app, INTEGRATED_CALL_HEADER: header } = values;
  const integratedCallHeader = header === 'off' ? undefined : header;
  const { SIP_CAPTURE: capture } = values;
  return { nodes, user: ariUser, password, app, capture, integratedCallHeader };
}

/** Several switches by list or by name, or the only one by its URL. */
function readNodes(values: Values): NodesConfig | undefined {
  const { SWITCHES: list, SWITCHES_DNS_NAME: dnsName, ARI_URL: ariUrl } = values;
  const { SWITCH_SIP_PORT: port, SWITCH_CAPACITY: capacity } = values;
  if (list !== undefined && dnsName !== undefined) {
    throw new ConfigError([{ variable: 'SWITCHES_DNS_NAME', reason: 'cannot be given together with SWITCHES' }]);
  }
  if (list !== undefined) return { list };
  if (dnsName !== undefined) return { dnsName, sipPort: port, capacity };
  if (ariUrl === undefined) return undefined;
  const host = values.SWITCH_SIP_HOST ?? new URL(ariUrl).hostname.replace(/^\[|\]$/g, '');
  return { list: [{ name: values.SWITCH_NAME, ariUrl, sip: { host, port }, capacity }] };
}

/** host:port; off and the empty text: none. */
function readCapture(text: string, context: z.RefinementCtx): { host: string; port: number } | undefined {
  if (text === 'off' || text === '') {
    return undefined;
  }
  const [, host, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (host === undefined || isIP(host) === 0 || Number(port) < 1 || Number(port) > 65_535) {
    context.addIssue('expected the address and the port to listen on (0.0.0.0:9060), or off');
    return undefined;
  }
  return { host, port: Number(port) };
}

/** Derives a secret that is the same in every replica and stays the same. */
function secretFrom(databaseUrl: string): string {
  const { password } = new URL(databaseUrl);
  if (password === '') {
    throw new ConfigError([{ variable: 'RECORDING_SECRET', reason: 'is required when DATABASE_URL has no password' }]);
  }
  return createHmac('sha256', password).update('sabia recordings').digest('base64');
}
