import { z } from 'zod';
import { oldestConnectionMs } from './grpc/channel-options';
import { plainPathsVariable } from './plain-paths';
import type { PlainPaths } from './plain-paths';

export interface ConfigProblem {
  variable: string;
  reason: string;
}

/** Names every invalid variable. Never contains a value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: ConfigProblem[];

  constructor(problems: ConfigProblem[]) {
    super(
      `The configuration is not valid:\n${problems.map(({ variable, reason }) => `  ${variable} ${reason}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

export function readEnvironment<S extends z.ZodRawShape>(
  shape: S,
  env: NodeJS.ProcessEnv = process.env,
): z.output<z.ZodObject<S>> {
  // An empty variable (`NAME=` in an env file) counts as absent.
  const values = Object.fromEntries(Object.keys(shape).map((name) => [name, env[name] === '' ? undefined : env[name]]));
  const result = z.object(shape).safeParse(values);
  if (result.success) {
    return result.data;
  }
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const variable = String(issue.path[0] ?? 'environment');
      return { variable, reason: values[variable] === undefined ? 'is required' : reasonOf(issue, values[variable]) };
    }),
  );
}

function reasonOf(issue: z.core.$ZodIssue, value: string): string {
  // The message of a check may quote the value.
  const message = value.length > 3 ? issue.message.replaceAll(value, '…') : issue.message;
  return `is not valid: ${message}`;
}

export const integerVariable = (limits: { min?: number; max?: number } = {}) =>
  z
    .string()
    .regex(/^-?\d+$/, 'expected a whole number')
    .transform(Number)
    .pipe(
      z
        .number()
        .min(limits.min ?? Number.MIN_SAFE_INTEGER)
        .max(limits.max ?? Number.MAX_SAFE_INTEGER),
    );

export const portVariable = () => integerVariable({ min: 0, max: 65535 });

export const durationVariable = () => integerVariable({ min: 0, max: 2 ** 31 - 1 });

/** true/false, 1/0, yes/no, on/off. */
export const flagVariable = () => z.stringbool();

export const urlVariable = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && (schemes.length === 0 || schemes.includes(new URL(text).protocol.slice(0, -1))),
      schemes.length === 0
        ? 'expected a URL'
        : `expected a URL that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`,
    );

/** nats.js accepts a comma-separated list of servers. */
const natsUrlVariable = () =>
  z
    .string()
    .refine(
      (text) => text.split(',').every((url) => /^(nats|tls|wss?):\/\//.test(url.trim()) && URL.canParse(url.trim())),
      'expected one or more URLs that begin with nats:// or tls://',
    );

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const chassisVariables = {
  DATABASE_URL: urlVariable('postgres', 'postgresql'),
  NATS_URL: natsUrlVariable(),
  GRPC_HOST: z.string().default('0.0.0.0'),
  GRPC_PORT: portVariable().default(0),
  METRICS_PORT: portVariable().default(0),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlVariable('http', 'https').optional(),
  DATABASE_POOL_SIZE: integerVariable({ min: 1, max: 1000 }).default(10),
  DATABASE_COSTLY_POOL_SIZE: integerVariable({ min: 1, max: 1000 }).default(2),
  // With a tenth of jitter and the five seconds that DNS may keep a record, a client knows of a new replica within 30 s.
  GRPC_MAX_CONNECTION_AGE_MS: integerVariable({ min: 0, max: oldestConnectionMs }).default(20_000),
  SHUTDOWN_TIMEOUT_MS: durationVariable().default(25_000),
  OUTBOX_POLL_MS: integerVariable({ min: 10, max: 60_000 }).default(250),
  EVENT_STREAM_REPLICAS: integerVariable({ min: 1, max: 5 }).optional(),
  SHARD_EVENTS: flagVariable().default(false),
  PACK_EVENTS: flagVariable().default(false),
  PLAIN_PATHS: plainPathsVariable().optional(),
};

export interface ChassisConfig {
  databaseUrl: string;
  natsUrl: string;
  grpcHost: string;
  grpcPort: number;
  metricsPort: number;
  logLevel: string;
  otlpEndpoint?: string;
  databasePoolSize: number;
  /** Connections reserved for costly searches; an account gets half of them. */
  databaseCostlyPoolSize?: number;
  maxConnectionAgeMs: number;
  shutdownTimeoutMs: number;
  outboxPollMs: number;
  /** How many NATS servers store the events; undefined keeps the operator's setting, initially one. */
  streamReplicas?: number;
  /** Whether subjects of events name the shard of their account, so that replicas can divide accounts among them. */
  shardEvents?: boolean;
  /** Whether a message may carry several events. */
  packEvents?: boolean;
  plainPaths?: PlainPaths;
}

export function toChassisConfig(values: z.output<z.ZodObject<typeof chassisVariables>>): ChassisConfig {
  return {
    databaseUrl: values.DATABASE_URL,
    natsUrl: values.NATS_URL,
    grpcHost: values.GRPC_HOST,
    grpcPort: values.GRPC_PORT,
    metricsPort: values.METRICS_PORT,
    logLevel: values.LOG_LEVEL,
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databaseCostlyPoolSize: values.DATABASE_COSTLY_POOL_SIZE,
    maxConnectionAgeMs: values.GRPC_MAX_CONNECTION_AGE_MS,
    shutdownTimeoutMs: values.SHUTDOWN_TIMEOUT_MS,
    outboxPollMs: values.OUTBOX_POLL_MS,
    streamReplicas: values.EVENT_STREAM_REPLICAS,
    shardEvents: values.SHARD_EVENTS,
    packEvents: values.PACK_EVENTS,
    plainPaths: values.PLAIN_PATHS,
  };
}
