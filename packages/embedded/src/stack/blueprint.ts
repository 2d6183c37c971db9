import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseName, databaseUrl, roleOf, serviceNames, type ServiceName } from '../database';
import { replicaName, type Discovery } from '../discovery/discovery';
import type { PortBook } from '../process/port-book';
import { projectRoot } from '../project';
import type { Secrets } from '../secrets';
import { demoFile, operatorTokenFile } from './home';
import { writeFileAtomically } from '../files';

export const domainSuffix = '.sabia.localhost';

/** One replica of a service. */
export interface ServicePlan {
  /** 'identity', 'identity-2', … */
  name: string;
  service: ServiceName;
  host: string;
  /** host:port */
  grpc: string;
  metricsUrl: string;
  environment: NodeJS.ProcessEnv;
  main: string;
}

/** The addresses of all processes, decided before any of them runs. */
export interface Blueprint {
  gateways: {
    name: string;
    url: string;
    port: number;
    metricsUrl: string;
    environment: NodeJS.ProcessEnv;
    main: string;
  }[];
  services: ServicePlan[];
  /** The plan of a further replica, from 1. */
  planService(service: ServiceName, number: number): Promise<ServicePlan>;
  /** Enters the console as the demo user. */
  consoleUrl: string;
  /** The API of operators, on loopback. */
  operator: { url: string; tokenFile: string };
  mailbox: { url: string; smtpPort: number; environment: NodeJS.ProcessEnv; main: string };
}

export interface BlueprintOptions {
  home: string;
  host: string;
  port: number;
  /** A second port of the first gateway, for web phones only. */
  sipWsPort?: number | undefined;
  gateways: number;
  replicas: Partial<Record<ServiceName, number>>;
  /** Default: true. */
  privateWebhooks?: boolean | undefined;
  /** Further variables of the services and gateways. */
  settings?: NodeJS.ProcessEnv | undefined;
  discovery: Discovery;
  urls: { postgres: string; nats: string; redis: string };
  ports: PortBook;
  secrets: Secrets;
}

/** For one machine: the gateway listens where it is told to, everything else on loopback. */
export async function drawBlueprint(options: BlueprintOptions): Promise<Blueprint> {
  const { home, host, urls, ports, secrets, discovery, privateWebhooks = true } = options;
  const publicUrl = `http://${reachable(host)}:${options.port}`;
  const mailboxPorts = { http: await ports.take('mailbox'), smtp: await ports.take('smtp') };
  const demoEntryKey = secrets.get('demo-entry');
  const recordings = join(home, 'recordings');
  const operatorPort = await ports.take('operator');
  const operatorToken = secrets.get('operator', () => `sabia-operator-${randomBytes(48).toString('base64url')}`);
  writeFileAtomically(operatorTokenFile(home), `${operatorToken}\n`, 0o600);
  const common = {
    NATS_URL: urls.nats,
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
    // All processes are of one release.
    PACK_EVENTS: 'true',
    ...discovery.environment,
    ...options.settings,
  };

  const own: Partial<Record<ServiceName, NodeJS.ProcessEnv>> = {
    identity: { ...identityEnvironment(publicUrl, mailboxPorts.smtp), OPERATOR_TOKEN: operatorToken },
    extensions: { EXTENSION_KEYS: encryptionKey('extension-key', secrets) },
    telephony: {
      PUBLIC_URL: publicUrl,
      EXTENSIONS_ADDRESS: discovery.addressOf('extensions'),
      BILLING_ADDRESS: discovery.addressOf('billing'),
      WEBHOOK_ADDRESS: discovery.addressOf('webhook'),
      RECORDINGS_FOLDER: recordings,
    },
    billing: {
      PUBLIC_URL: publicUrl,
      RATES_SEED_FILE: join(projectRoot, 'services/billing/rates/sample.csv'),
      // Credit of a local stack is worth nothing, so a button on the page of a charge pays it.
      PAYMENT_GATEWAY: 'sandbox',
      ALLOW_SANDBOX_PAYMENTS: 'true',
    },
    // The receivers of new users run on this machine.
    webhook: {
      WEBHOOK_KEYS: encryptionKey('webhook-key', secrets),
      ALLOW_PRIVATE_WEBHOOKS: String(privateWebhooks),
    },
  };

  const planService = async (service: ServiceName, number: number): Promise<ServicePlan> => {
    const { host, grpcPort, metricsPort } = await discovery.placeOf(service, number);
    const role = { name: roleOf(service), password: secrets.get(roleOf(service)) };
    return {
      name: replicaName(service, number),
      ...{ service, host, grpc: `${host}:${grpcPort}`, metricsUrl: `http://${host}:${metricsPort}/metrics` },
      main: join(projectRoot, 'services', service, 'dist/bundle.js'),
      environment: {
        ...common,
        DATABASE_URL: databaseUrl(urls.postgres, databaseName, role),
        GRPC_HOST: host,
        GRPC_PORT: String(grpcPort),
        METRICS_PORT: String(metricsPort),
        ...own[service],
      },
    };
  };
  const services: ServicePlan[] = [];
  for (const service of serviceNames)
    for (let number = 1; number <= (options.replicas[service] ?? 1); number += 1)
      services.push(await planService(service, number));

  const gateways: Blueprint['gateways'] = [];
  for (let number = 1; number <= options.gateways; number++) {
    const name = replicaName('gateway', number);
    const port = number === 1 ? options.port : await ports.take(name);
    const metricsPort = await ports.take(`${name}.metrics`);
    gateways.push({
      ...{
        name,
        port,
        url: number === 1 ? publicUrl : `http://127.0.0.1:${port}`,
        metricsUrl: `http://${number === 1 ? reachable(host) : '127.0.0.1'}:${metricsPort}/metrics`,
        main: join(projectRoot, 'gateway/dist/bundle.js'),
      },
      environment: {
        ...common,
        HOST: number === 1 ? host : '127.0.0.1',
        PORT: String(port),
        ...(number === 1 && options.sipWsPort !== undefined ? { SIP_WS_PORT: String(options.sipWsPort) } : {}),
        ...(number === 1 ? { OPERATOR_PORT: String(operatorPort) } : {}),
        REDIS_URL: urls.redis,
        // On a single busy machine Redis may answer late without being down.
        REDIS_TIMEOUT_MS: '1000',
        PUBLIC_URL: publicUrl,
        DEMO_ENTRY_KEY: demoEntryKey,
        DEMO_ENTRY_FILE: demoFile(home),
        RECORDINGS_PATH: recordings,
        METRICS_PORT: String(metricsPort),
        // A load balancer in front of several gateways must see that one is leaving before it is gone.
        ...(options.gateways > 1 ? { DRAIN_DELAY_MS: '2000' } : {}),
        ...Object.fromEntries(serviceNames.map((name) => [`${name.toUpperCase()}_ADDRESS`, discovery.addressOf(name)])),
      },
    });
  }

  return {
    gateways,
    services,
    planService,
    consoleUrl: `${publicUrl}/demo?key=${demoEntryKey}`,
    operator: { url: `http://127.0.0.1:${operatorPort}`, tokenFile: operatorTokenFile(home) },
    mailbox: {
      url: `http://127.0.0.1:${mailboxPorts.http}`,
      smtpPort: mailboxPorts.smtp,
      main: join(projectRoot, 'packages/embedded/dist/mailbox/bundle.js'),
      environment: {
        MAILBOX_FOLDER: join(home, 'mail'),
        MAILBOX_HTTP_PORT: String(mailboxPorts.http),
        MAILBOX_SMTP_PORT: String(mailboxPorts.smtp),
      },
    },
  };
}

/** The address to connect to for a listening address, as it is written in a URL. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function identityEnvironment(publicUrl: string, smtpPort: number): NodeJS.ProcessEnv {
  return {
    ACCOUNT_DOMAIN_SUFFIX: domainSuffix,
    PUBLIC_URL: publicUrl,
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    MAIL_FROM: 'Sabiá <no-reply@sabia.localhost>',
  };
}

/** A key in the form of EXTENSION_KEYS and WEBHOOK_KEYS: a name and 32 bytes. */
function encryptionKey(name: string, secrets: Secrets): string {
  return `home:${secrets.get(name, () => randomBytes(32).toString('base64'))}`;
}
