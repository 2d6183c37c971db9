import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import {
  chassisVariables,
  durationVariable,
  flagVariable,
  integerVariable,
  portVariable,
  readEnvironment,
  urlVariable,
} from '@sabia/service-kit/config';
import { sessionCache } from '@sabia/service-kit/events/caches/shared-cache';
import type { PlainPaths } from '@sabia/service-kit/plain-paths';
import { tlsVariables, toTlsFiles } from './http/tls-files';
import type { TlsFiles } from './http/tls-files';
import type { Limits } from './limits/allowance';
import { rateLimitClassNames, rateLimitClasses } from './contract/rate-limit-classes';
import { overridesVariable } from './limits/rate-limit-overrides';
import type { RateLimitOverrides } from './limits/rate-limit-overrides';
import type { DemoEntry } from './pages/demo-entry';
import { defaultProtoRoot, discoverServices } from './contract/contract';

export interface GatewayConfig {
  host: string;
  port: number;
  publicUrl: string;
  /** Undefined: plain HTTP. */
  tls?: TlsFiles;
  natsUrl: string;
  redisUrl: string;
  /** A Redis that takes longer counts as away, because requests must not wait for it. */
  redisTimeoutMs: number;
  /** CIDR ranges and the names loopback, linklocal, uniquelocal. */
  trustedProxies: string[];
  /** Service name → gRPC address. */
  addresses: Record<string, string>;
  /** The WebSockets of the SIP edges, for web phones. None: there is no switch. */
  sipWsUrls: readonly string[];
  /** The most connections of web phones of one address: at a time in this process, and new ones a minute over all replicas. */
  sipSocketsPerAddress: number;
  /** A further port that serves web phones only. */
  sipWsPort?: number;
  /** Where operators are served; undefined: nowhere. */
  operator?: { host: string; port: number };
  /** Vite's development server, for work on the console. */
  consoleDevUrl?: string;
  /** The folder that telephony keeps recordings in. */
  recordingsPath?: string;
  /** The most open event streams of one user, and of all, in this process. */
  eventStreamsPerUser: number;
  eventStreams: number;
  metricsPort: number;
  otlpEndpoint?: string;
  logLevel: string;
  allowQueryToken: boolean;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  shutdownTimeoutMs: number;
  /** How long the gateway still accepts requests after it has become unready, so that load balancers notice. */
  drainDelayMs: number;
  tokenCacheTtlMs: number;
  tokenCacheSize: number;
  limits: Limits;
  /** Limits of known addresses and single accounts. */
  limitOverrides: RateLimitOverrides;
  plainPaths?: PlainPaths;
  /** Undefined: there is no link that enters the console. */
  demoEntry?: DemoEntry;
}

const proxyList = z.string().transform((text, context) => {
  const proxies = text.split(/[\s,]+/).filter((part) => part !== '');
  try {
    proxyAddr.compile(proxies);
  } catch {
    context.addIssue('expected addresses, CIDR ranges or the name loopback, separated by commas');
  }
  return proxies;
});

/** Separated by commas. */
function webSocketList() {
  const one = urlVariable('ws', 'wss');
  return z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(one));
}

const variables = {
  HOST: z.string().default('0.0.0.0'),
  PORT: portVariable().default(8080),
  PUBLIC_URL: urlVariable('http', 'https').optional(),
  NATS_URL: chassisVariables.NATS_URL,
  REDIS_URL: urlVariable('redis', 'rediss'),
  REDIS_TIMEOUT_MS: integerVariable({ min: 1 }).default(250),
  TRUSTED_PROXIES: proxyList.default(['loopback']),
  SIP_WS_URL: webSocketList().default([]),
  SIP_SOCKETS_PER_ADDRESS: integerVariable({ min: 1 }).default(100),
  SIP_WS_PORT: portVariable().optional(),
  OPERATOR_PORT: portVariable().optional(),
  OPERATOR_HOST: z.string().default('127.0.0.1'),
  CONSOLE_DEV_URL: urlVariable('http').optional(),
  RECORDINGS_PATH: z.string().optional(),
  EVENT_STREAMS_PER_USER: integerVariable({ min: 1 }).default(20),
  EVENT_STREAMS: integerVariable({ min: 1 }).default(10_000),
  METRICS_PORT: chassisVariables.METRICS_PORT,
  OTEL_EXPORTER_OTLP_ENDPOINT: chassisVariables.OTEL_EXPORTER_OTLP_ENDPOINT,
  LOG_LEVEL: chassisVariables.LOG_LEVEL,
  ALLOW_QUERY_TOKEN: flagVariable().default(true),
  BODY_LIMIT_BYTES: integerVariable({ min: 1 }).default(1_048_576),
  REQUEST_TIMEOUT_MS: integerVariable({ min: 1 }).default(15_000),
  SHUTDOWN_TIMEOUT_MS: chassisVariables.SHUTDOWN_TIMEOUT_MS,
  DRAIN_DELAY_MS: durationVariable().default(0),
  TOKEN_CACHE_TTL_MS: integerVariable({ min: 1, max: sessionCache.longestMs }).default(sessionCache.longestMs),
  TOKEN_CACHE_SIZE: integerVariable({ min: 1 }).default(50_000),
  PLAIN_PATHS: chassisVariables.PLAIN_PATHS,
  DEMO_ENTRY_KEY: z.string().min(16).optional(),
  DEMO_ENTRY_FILE: z.string().optional(),
  RATE_LIMIT_OVERRIDES: overridesVariable.default({ addresses: [], accounts: [] }),
};

export function loadConfig(env: NodeJS.ProcessEnv = process.env): GatewayConfig {
  const services = discoverServices([defaultProtoRoot()]);
  const addressNames = services.map((name) => [name, `${name.toUpperCase()}_ADDRESS`] as const);
  const limitNames = rateLimitClassNames.map((name) => [name, `RATE_LIMIT_${name}`] as const);
  const values = readEnvironment(
    {
      ...variables,
      ...tlsVariables(env),
      ...Object.fromEntries(addressNames.map(([, variable]) => [variable, z.string()])),
      ...Object.fromEntries(
        limitNames.map(([name, variable]) => [
          variable,
          integerVariable({ min: 1 }).default(rateLimitClasses[name].limit),
        ]),
      ),
    },
    env,
  );
  const computed = values as Record<string, unknown>;
  const tls = toTlsFiles(values.TLS_CERT_FILE, values.TLS_KEY_FILE);
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    host: values.HOST,
    port: values.PORT,
    publicUrl: (values.PUBLIC_URL ?? `${scheme}://localhost:${values.PORT}`).replace(/\/+$/, ''),
    tls,
    natsUrl: values.NATS_URL,
    redisUrl: values.REDIS_URL,
    redisTimeoutMs: values.REDIS_TIMEOUT_MS,
    trustedProxies: values.TRUSTED_PROXIES,
    addresses: Object.fromEntries(addressNames.map(([name, variable]) => [name, String(computed[variable])])),
    sipWsUrls: values.SIP_WS_URL,
    sipSocketsPerAddress: values.SIP_SOCKETS_PER_ADDRESS,
    sipWsPort: values.SIP_WS_PORT,
    operator:
      values.OPERATOR_PORT === undefined ? undefined : { host: values.OPERATOR_HOST, port: values.OPERATOR_PORT },
    consoleDevUrl: values.CONSOLE_DEV_URL,
    recordingsPath: values.RECORDINGS_PATH,
    eventStreamsPerUser: values.EVENT_STREAMS_PER_USER,
    eventStreams: values.EVENT_STREAMS,
    metricsPort: values.METRICS_PORT,
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: values.LOG_LEVEL,
    allowQueryToken: values.ALLOW_QUERY_TOKEN,
    bodyLimitBytes: values.BODY_LIMIT_BYTES,
    requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
    shutdownTimeoutMs: values.SHUTDOWN_TIMEOUT_MS,
    drainDelayMs: values.DRAIN_DELAY_MS,
    tokenCacheTtlMs: values.TOKEN_CACHE_TTL_MS,
    tokenCacheSize: values.TOKEN_CACHE_SIZE,
    limits: Object.fromEntries(limitNames.map(([name, variable]) => [name, Number(computed[variable])])) as Limits,
    limitOverrides: values.RATE_LIMIT_OVERRIDES,
    plainPaths: values.PLAIN_PATHS,
    demoEntry:
      values.DEMO_ENTRY_KEY === undefined || values.DEMO_ENTRY_FILE === undefined
        ? undefined
        : { key: values.DEMO_ENTRY_KEY, file: values.DEMO_ENTRY_FILE },
  };
}
