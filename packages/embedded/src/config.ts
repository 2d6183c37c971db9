import { isAbsolute, join, resolve } from 'node:path';
import { projectRoot } from './project';
import { serviceNames, type ServiceName } from './service-names';

const switchNames = ['asterisk', 'simulated'] as const;
export type SwitchName = (typeof switchNames)[number];

export interface StackConfig {
  home: string;
  /** Fetched programs; kept by --fresh. */
  cache: string;
  host: string;
  port: number;
  /** A second port of the first gateway, for web phones only. */
  sipWsPort?: number;
  gateways: number;
  /** Number of replicas by service; one where none is given. */
  replicas?: Partial<Record<ServiceName, number>>;
  logLevel: string;
  durable: boolean;
  /** Default: Asterisk where it is available, else simulated. */
  callSwitch?: SwitchName;
  /** Number of Asterisk nodes. Default: 1. */
  switches?: number;
  /** Number of SIP edges. Default: 1. */
  edges?: number;
  /** Whether Asterisk sends copies of SIP messages to telephony. Default: true. */
  capture?: boolean;
  /** Whether webhooks may go to this machine and its network, where the receivers of new users run. Default: true. */
  privateWebhooks?: boolean;
  /** Further variables of the services and gateways. */
  settings?: NodeJS.ProcessEnv;
  postgresUrl?: string;
  natsUrl?: string;
  redisUrl?: string;
  path: string;
}

/** A mistake in the settings, shown without a stack trace. */
export class UsageError extends Error {}

export function readStackConfig(env: NodeJS.ProcessEnv = process.env): StackConfig {
  const given = (name: string) => env[name]?.trim() || undefined;
  const home = absolute(given('SABIA_HOME') ?? '.sabia');
  const sipWsPort = given('SABIA_SIP_WS_PORT');
  const { gateway: gateways = 1, ...replicas } = parseReplicas(given('SABIA_REPLICAS') ?? '1');
  return {
    home,
    cache: given('SABIA_CACHE') ? absolute(given('SABIA_CACHE') ?? '') : join(home, 'cache'),
    host: given('SABIA_HOST') ?? '127.0.0.1',
    port: portOf('SABIA_PORT', given('SABIA_PORT') ?? '8080'),
    sipWsPort: sipWsPort === undefined ? undefined : portOf('SABIA_SIP_WS_PORT', sipWsPort),
    gateways: integer('SABIA_GATEWAYS', given('SABIA_GATEWAYS') ?? String(gateways), 1, 8),
    replicas,
    logLevel: given('SABIA_LOG_LEVEL') ?? 'warn',
    durable: given('SABIA_DURABLE') !== 'false',
    switches: integer('SABIA_SWITCHES', given('SABIA_SWITCHES') ?? '1', 1, 8),
    edges: integer('SABIA_EDGES', given('SABIA_EDGES') ?? '1', 1, 8),
    capture: given('SIP_CAPTURE') !== 'off',
    callSwitch: oneOf('SABIA_SWITCH', given('SABIA_SWITCH'), switchNames),
    postgresUrl: given('SABIA_POSTGRES_URL'),
    natsUrl: given('SABIA_NATS_URL'),
    redisUrl: given('SABIA_REDIS_URL'),
    path: env.PATH ?? '',
  };
}

const ofPostgresClients = /^PG[A-Z]+$/;

/** Sets variables in the supervisor's own environment, whose clients read them too. */
export function forgetPostgresVariables(): void {
  for (const name of Object.keys(process.env)) if (ofPostgresClients.test(name)) delete process.env[name];
}

/**
 * The environment of a program that we run: ours, without PGSSLMODE, PGOPTIONS and the like, which are meant for other
 * databases, plus the given variables.
 */
export function inheritedEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !ofPostgresClients.test(name));
  return { ...Object.fromEntries(own), ...extra };
}

/** A relative path is relative to the project's folder, wherever the command is run. */
function absolute(path: string): string {
  return isAbsolute(path) ? path : resolve(projectRoot, path);
}

const replicated = [...serviceNames, 'gateway'] as const;
type Replicated = (typeof replicated)[number];

/** "2", for all of them, or "identity=2,gateway=3". */
function parseReplicas(text: string): Partial<Record<Replicated, number>> {
  const variable = 'SABIA_REPLICAS';
  if (!text.includes('=')) {
    const count = integer(variable, text, 1, 8);
    return Object.fromEntries(replicated.map((name) => [name, count]));
  }
  const counts: Partial<Record<Replicated, number>> = {};
  for (const part of text.split(',')) {
    const [given, count = ''] = part.split('=').map((word) => word.trim());
    const name = oneOf(variable, given, replicated);
    if (name) counts[name] = integer(variable, count, 1, 8);
  }
  return counts;
}

function oneOf<T extends string>(name: string, text: string | undefined, allowed: readonly T[]): T | undefined {
  const found = allowed.find((each) => each === text);
  if (text !== undefined && !found) throw new UsageError(`${name} must be ${allowed.join(' or ')}, not "${text}"`);
  return found;
}

const portOf = (name: string, text: string): number => integer(name, text, 1, 65_535);

function integer(name: string, text: string, lowest: number, highest: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < lowest || value > highest) {
    throw new UsageError(`${name} must be a whole number between ${lowest} and ${highest}, not "${text}"`);
  }
  return value;
}
