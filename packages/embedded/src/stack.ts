import { join } from 'node:path';
import { inheritedEnvironment, UsageError, type StackConfig } from './config';
import {
  bootstrap,
  databaseName,
  databaseUrl,
  ensureDatabase,
  isMigrated,
  roleOf,
  serviceNames,
  type ServiceName,
} from './database';
import { acquireLock, LockedError, type Lock } from './lock';
import { keepAlive } from './process/keep-alive';
import type { ManagedProcess } from './process/managed-process';
import { openPortBook } from './process/port-book';
import { isPortTaken } from './process/ports';
import { createRegistry } from './process/registry';
import { run } from './programs/run';
import { openSecrets } from './secrets';
import { startServers, type Servers } from './servers';
import { domainSuffix, drawBlueprint, type Blueprint } from './stack/blueprint';
import { seedDemo } from './stack/demo';
import { emptyHome, openHome } from './stack/home';
import { followLog, type LogTail } from './stack/log-tail';
import { accepts, answersHttp, servesGrpc } from './stack/probes';
import { silentReporter, type Reporter } from './stack/reporter';
import { removeStackFiles, writeStackFiles, type StackFile } from './stack/stack-file';

/** Who goes first when all end: the gateway drains while the services still answer, and these while their servers do. */
const RANK = { gateway: 3, service: 2, mailbox: 1 };

export interface StackOptions extends StackConfig {
  fresh?: boolean;
  reporter?: Reporter;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
}

export interface Stack {
  file: StackFile;
  gatewayUrls: string[];
  servers: Servers;
  /** Services, gateways and the mailbox by name. */
  processes: ReadonlyMap<string, ManagedProcess>;
  stop(): Promise<void>;
}

/** The whole house on one machine: servers, services, gateway, mailbox and a demo account. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { home, reporter = silentReporter, signal } = options;
  openHome(home);
  const lock = await lockHome(home);
  const construction = new Construction(options, reporter);
  const stop = async (): Promise<void> => {
    await construction.demolish();
    removeStackFiles(home);
    lock.release();
  };
  const onAbort = () => void construction.demolish();
  signal?.addEventListener('abort', onAbort);
  try {
    const { blueprint, servers } = await construction.build();
    const file = await construction.furnish(blueprint, servers);
    return {
      file,
      servers,
      gatewayUrls: blueprint.gateways.map(({ url }) => url),
      processes: construction.processes,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function lockHome(home: string): Promise<Lock> {
  try {
    return await acquireLock(join(home, 'run/supervisor.lock'));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new UsageError(`Sabiá is already running here (process ${error.holder.pid}). Stop it with: npm stop`);
  }
}

class Construction {
  readonly processes = new Map<string, ManagedProcess>();
  private readonly tails: LogTail[] = [];
  private servers: Servers | undefined;
  private demolition: Promise<void> | undefined;
  private refresh: () => void = () => undefined;

  constructor(
    private readonly options: StackOptions,
    private readonly reporter: Reporter,
  ) {}

  async build(): Promise<{ blueprint: Blueprint; servers: Servers }> {
    const { home, cache, host, port, fresh, durable, path, reporter } = { ...this.options, reporter: this.reporter };
    const registry = createRegistry(join(home, 'run'));
    await registry.endOrphans((names) =>
      reporter.event(`ending what an earlier start left behind: ${names.join(', ')}`),
    );
    removeStackFiles(home);
    if (await isPortTaken(port, host)) {
      throw new UsageError(
        `Port ${port} is taken by another program. Choose another one: SABIA_PORT=${port + 1} npm start`,
      );
    }
    if (fresh) emptyHome(home);

    const ports = openPortBook(home);
    const secrets = openSecrets(home);
    const urls = { postgres: this.options.postgresUrl, nats: this.options.natsUrl, redis: this.options.redisUrl };
    reporter.progress('starting PostgreSQL, NATS and Redis');
    this.servers = await startServers({
      ...{ home, cache, durable, path, ports, urls, signal: this.options.signal },
      progress: (message) => reporter.progress(message),
      onDeath: (name, how) => this.mourn(name, how),
      onRevival: (name) => this.rejoice(name),
    });
    const servers = this.servers;
    this.checkWanted();

    const blueprint = await drawBlueprint({
      ...{ home, host, port, ports, secrets, gateways: this.options.gateways },
      urls: { postgres: servers.postgres.url, nats: servers.nats.url, redis: servers.redis.url },
    });
    await ensureDatabase(servers.postgres.url);
    const passwords = Object.fromEntries(serviceNames.map((name) => [name, secrets.get(roleOf(name))])) as Record<
      ServiceName,
      string
    >;
    await bootstrap(databaseUrl(servers.postgres.url, databaseName), passwords);
    reporter.progress('migrating the databases of the services');
    await Promise.all([this.startMailbox(blueprint), ...blueprint.services.map((service) => this.migrate(service))]);
    reporter.progress('starting the services and the gateway');
    // The gateway is ready only when the services are, but need not wait for them with loading its code.
    await Promise.all([
      ...blueprint.services.map((service) => this.startService(service)),
      ...blueprint.gateways.map((gateway) => this.startGateway(gateway)),
    ]);
    return { blueprint, servers };
  }

  async furnish(blueprint: Blueprint, servers: Servers): Promise<StackFile> {
    const { home } = this.options;
    const gatewayUrl = blueprint.gateways[0]?.url ?? '';
    const mailboxUrl = blueprint.mailbox.url;
    this.checkWanted();
    const demo = await seedDemo({ home, apiUrl: `${gatewayUrl}/api/v1`, mailboxUrl, domainSuffix });
    const describe = (): StackFile => ({
      ...{ gatewayUrl, mailboxUrl, postgresUrl: databaseUrl(servers.postgres.url, databaseName) },
      ...{ natsUrl: servers.nats.url, redisUrl: servers.redis.url, demo },
      services: blueprint.services.map(({ name, grpc }) => ({ name, pid: this.processes.get(name)?.pid, grpc })),
    });
    this.refresh = () => {
      const urls = new Map([
        ...blueprint.gateways.map(({ name, url }) => [name, url] as const),
        ['mailbox', mailboxUrl] as const,
      ]);
      const own = (['postgres', 'nats', 'redis'] as const).map((name) => ({ name, pid: servers[name].pid }));
      const others = [...this.processes.values()].map(({ name, pid }) => ({ name, pid, url: urls.get(name) }));
      writeStackFiles(home, describe(), { supervisor: process.pid, processes: [...own, ...others] });
    };
    this.refresh();
    return describe();
  }

  /** In order, and only what was started here. */
  demolish(): Promise<void> {
    this.demolition ??= this.tearDown();
    return this.demolition;
  }

  private async tearDown(): Promise<void> {
    this.refresh = () => undefined;
    for (const rank of [RANK.gateway, RANK.service, RANK.mailbox]) {
      const group = [...this.processes.values()].filter(({ options }) => options.rank === rank);
      await Promise.all(group.map((each) => each.stop()));
    }
    for (const tail of this.tails) tail.stop();
    await this.servers?.stop();
  }

  private async migrate({ name, main, environment }: Blueprint['services'][number]): Promise<void> {
    if (await isMigrated(name, environment.DATABASE_URL ?? '')) return;
    try {
      await run(process.execPath, [main, 'migrate'], {
        env: inheritedEnvironment(environment),
        signal: this.options.signal,
      });
    } catch (error) {
      throw new Error(`migrating ${name} failed`, { cause: error });
    }
  }

  private startService(service: Blueprint['services'][number]): Promise<void> {
    return this.startNode(service, RANK.service, () => servesGrpc(service.grpc));
  }

  private startGateway(gateway: Blueprint['gateways'][number]): Promise<void> {
    return this.startNode(gateway, RANK.gateway, () => answersHttp(`http://127.0.0.1:${gateway.port}/readyz`));
  }

  private startMailbox({ mailbox }: Blueprint): Promise<void> {
    const ready = async () => {
      await accepts(mailbox.smtpPort);
      await answersHttp(mailbox.url);
    };
    return this.startNode({ name: 'mailbox', ...mailbox }, RANK.mailbox, ready);
  }

  private async startNode(
    { name, main, environment }: { name: string; main: string; environment: NodeJS.ProcessEnv },
    rank: number,
    ready: () => Promise<void>,
  ): Promise<void> {
    this.checkWanted();
    const { home } = this.options;
    const logFile = join(home, 'logs', `${name}.log`);
    const managed = keepAlive(
      {
        ...{ name, rank, ready, logFile, registry: createRegistry(join(home, 'run')) },
        ...{ command: process.execPath, args: [main], env: inheritedEnvironment(environment) },
      },
      (how) => this.mourn(name, how),
      () => this.rejoice(name),
    );
    this.processes.set(name, managed);
    this.tails.push(followLog(logFile, (line) => this.reporter.line(name, line)));
    await managed.start();
  }

  private mourn(name: string, how: string): void {
    this.reporter.event(`${name} ${how}; starting it again`);
  }

  private rejoice(name: string): void {
    this.reporter.event(`${name} is back`);
    this.refresh();
  }

  private checkWanted(): void {
    if (this.demolition) throw new Error('stopped while starting');
  }
}
