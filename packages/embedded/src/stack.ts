import { join } from 'node:path';
import { UsageError, type StackConfig } from './config';
import {
  bootstrap,
  databaseName,
  databaseUrl,
  ensureDatabase,
  giveSipPasswords,
  migrateService,
  roleOf,
  serviceNames,
  type ServiceName,
  type SipRole,
} from './database';
import { openDiscovery, type Discovery } from './discovery/discovery';
import { acquireLock, LockedError, type Lock } from './lock';
import type { ManagedProcess } from './process/managed-process';
import { openPortBook, type PortBook } from './process/port-book';
import { isPortTaken } from './process/ports';
import { createRegistry } from './process/registry';
import { openSecrets, type Secrets } from './secrets';
import { startServers, type Servers } from './servers';
import { drawBlueprint, type Blueprint, type ServicePlan } from './stack/blueprint';
import { gatewayEnvironment, startCallSwitch, type CallSwitch } from './stack/call-switch';
import { emptyHome, openHome } from './stack/home';
import { createDemo, describeProcesses, describeStack, type StackParts } from './stack/stack-parts';
import { NodeProcesses } from './stack/node-processes';
import { silentReporter, type Reporter } from './stack/reporter';
import { ServiceReplicas } from './stack/service-replicas';
import { removeStackFiles, writeStackFiles, type StackFile } from './stack/stack-file';

export interface StackOptions extends StackConfig {
  fresh?: boolean;
  reporter?: Reporter;
  /** Aborts a start that is under way. */
  signal?: AbortSignal;
}

export interface Stack {
  file: StackFile;
  gatewayUrls: string[];
  servers: Servers;
  /** Asterisk nodes and SIP edges, or the reason why there are none. */
  callSwitch: CallSwitch;
  /** Services, gateways and the mailbox by name. */
  processes: ReadonlyMap<string, ManagedProcess>;
  /** Resolves when a further replica of the service is ready; clients find it by discovery. */
  addReplica(service: ServiceName): Promise<ServicePlan>;
  /** Removes a replica for good, which finishes its requests first. */
  removeReplica(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** The whole stack on one machine: servers, services, gateway, mailbox and a demo account. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { home, reporter = silentReporter, signal } = options;
  openHome(home);
  const lock = await lockHome(home);
  const running = new StackProcesses(options, reporter);
  const stop = async (): Promise<void> => {
    await running.stop();
    removeStackFiles(home);
    lock.release();
  };
  const onAbort = () => void running.stop();
  signal?.addEventListener('abort', onAbort);
  try {
    const parts = await running.start();
    const file = await running.seedDemo(parts);
    const { blueprint, servers, callSwitch } = parts;
    return {
      ...{ file, servers, callSwitch },
      gatewayUrls: blueprint.gateways.map(({ url }) => url),
      processes: running.processes,
      addReplica: (service) => running.addReplica(parts, service),
      removeReplica: (name) => running.removeReplica(name),
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

class StackProcesses {
  private readonly node: NodeProcesses;
  private readonly services: ServiceReplicas;
  private servers: Servers | undefined;
  private discovery: Discovery | undefined;
  private callSwitch: Promise<CallSwitch> | undefined;
  private readonly givingUp = new AbortController();
  private stopping: Promise<void> | undefined;
  private refresh: () => void = () => undefined;

  constructor(
    private readonly options: StackOptions,
    private readonly reporter: Reporter,
  ) {
    const { home } = options;
    this.node = new NodeProcesses({
      ...{ home, reporter },
      onDeath: (name, how) => this.reportDeath(name, how),
      onRevival: (name) => this.reportRevival(name),
    });
    this.services = new ServiceReplicas(this.node);
  }

  get processes(): ReadonlyMap<string, ManagedProcess> {
    return this.node.byName;
  }

  async start(): Promise<StackParts> {
    const { home, cache, host, port, sipWsPort, fresh, durable, path, reporter } = {
      ...this.options,
      reporter: this.reporter,
    };
    const registry = createRegistry(join(home, 'run'));
    await registry.endOrphans((names) =>
      reporter.event(`ending what an earlier start left behind: ${names.join(', ')}`),
    );
    removeStackFiles(home);
    await expectFree('SABIA_PORT', port, host);
    if (sipWsPort !== undefined) await expectFree('SABIA_SIP_WS_PORT', sipWsPort, host);
    if (fresh) emptyHome(home);

    const ports = openPortBook(home);
    ports.reserve(port);
    if (sipWsPort !== undefined) ports.reserve(sipWsPort);
    const secrets = openSecrets(home);
    const urls = { postgres: this.options.postgresUrl, nats: this.options.natsUrl, redis: this.options.redisUrl };
    reporter.progress('starting PostgreSQL, NATS and Redis');
    this.servers = await startServers({
      ...{ home, cache, durable, path, ports, urls, signal: this.options.signal },
      progress: (message) => reporter.progress(message),
      onDeath: (name, how) => this.reportDeath(name, how),
      onRevival: (name) => this.reportRevival(name),
    });
    const servers = this.servers;
    this.checkWanted();

    const { gateways, replicas = {}, privateWebhooks, settings } = this.options;
    this.discovery = await openDiscovery({
      ports,
      replicas,
      readyHosts: (service) => this.services.readyHosts(service),
    });
    const blueprint = await drawBlueprint({
      ...{
        home,
        host,
        port,
        sipWsPort,
        ports,
        secrets,
        gateways,
        replicas,
        privateWebhooks,
        settings,
        discovery: this.discovery,
      },
      urls: { postgres: servers.postgres.url, nats: servers.nats.url, redis: servers.redis.url },
    });
    this.services.expect(blueprint.services);
    await ensureDatabase(servers.postgres.url);
    const passwords = Object.fromEntries(serviceNames.map((name) => [name, secrets.get(roleOf(name))])) as Record<
      ServiceName,
      string
    >;
    const ownUrl = databaseUrl(servers.postgres.url, databaseName);
    await bootstrap(ownUrl, passwords);
    await giveSipPasswords(ownUrl, (role) => secrets.get(role));
    reporter.progress('migrating the databases of the services');
    const migrated = Promise.all([
      this.node.startMailbox(blueprint),
      ...serviceNames.map(async (name) => {
        const role = { name: roleOf(name), password: passwords[name] };
        await migrateService(name, databaseUrl(servers.postgres.url, databaseName, role)).catch((cause: unknown) => {
          throw new Error(`migrating ${name} failed`, { cause });
        });
      }),
    ]);
    this.callSwitch = this.startSwitch(ownUrl, { ports, secrets, databaseReady: migrated });
    const [callSwitch] = await Promise.all([
      this.callSwitch,
      this.startProcesses(blueprint, this.callSwitch, migrated),
    ]);
    return { blueprint, servers, callSwitch };
  }

  private async startProcesses(
    { services, gateways }: Blueprint,
    callSwitch: Promise<CallSwitch>,
    migrated: Promise<unknown>,
  ): Promise<void> {
    await migrated;
    this.reporter.progress('starting the services and the gateway');
    // The gateway is ready only after the services, but can load its code at the same time.
    await Promise.all([
      ...services.map(async (plan) => {
        const given = plan.service === 'telephony' || plan.service === 'extensions' ? await callSwitch : undefined;
        this.checkWanted();
        await this.services.start(plan, given);
      }),
      ...gateways.map(async (gateway) => {
        const environment = { ...gateway.environment, ...gatewayEnvironment(await callSwitch) };
        this.checkWanted();
        await this.node.startGateway({ ...gateway, environment });
      }),
    ]);
  }

  async addReplica({ blueprint, callSwitch }: StackParts, service: ServiceName): Promise<ServicePlan> {
    const plan = await this.services.add(blueprint, service, callSwitch);
    this.refresh();
    return plan;
  }

  async removeReplica(name: string): Promise<void> {
    await this.services.remove(name);
    this.refresh();
  }

  private startSwitch(
    url: string,
    given: { ports: PortBook; secrets: Secrets; databaseReady: Promise<unknown> },
  ): Promise<CallSwitch> {
    const { home, cache, host, path, callSwitch: wanted, capture, switches = 1, edges = 1, signal } = this.options;
    const urlOf = (role: SipRole) => databaseUrl(url, databaseName, { name: role, password: given.secrets.get(role) });
    return startCallSwitch({
      ...{ ...given, home, cache, host, path, wanted, capture, switches, edges },
      postgresUrl: urlOf('sabia_asterisk'),
      edgeUrl: urlOf('sabia_edge'),
      progress: (message) => this.reporter.progress(message),
      onDeath: (name, how) => this.reportDeath(name, how),
      onRevival: (name) => this.reportRevival(name),
      signal: AbortSignal.any([this.givingUp.signal, ...(signal ? [signal] : [])]),
    });
  }

  async seedDemo(parts: StackParts): Promise<StackFile> {
    const { home } = this.options;
    this.checkWanted();
    const demo = await createDemo(home, parts);
    const describe = () => describeStack(parts, demo, this.services.all, this.processes);
    this.refresh = () => writeStackFiles(home, describe(), describeProcesses(parts, this.processes));
    this.refresh();
    return describe();
  }

  /** Stops in order what was started here, and nothing else. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    this.refresh = () => undefined;
    this.givingUp.abort(new Error('stopped while starting'));
    await this.node.stop();
    const callSwitch = await this.callSwitch?.catch(() => undefined);
    await Promise.all((callSwitch?.edges ?? []).map((edge) => edge.stop()));
    await Promise.all((callSwitch?.switches ?? []).map((node) => node.stop()));
    await this.discovery?.close();
    await this.servers?.stop();
  }

  private reportDeath(name: string, how: string): void {
    this.reporter.event(`${name} ${how}; starting it again`);
  }

  private reportRevival(name: string): void {
    this.reporter.event(`${name} is back`);
    this.refresh();
  }

  private checkWanted(): void {
    if (this.stopping) throw new Error('stopped while starting');
  }
}

async function expectFree(variable: string, port: number, host: string): Promise<void> {
  if (!(await isPortTaken(port, host))) return;
  throw new UsageError(
    `Port ${port} is taken by another program. Choose another one: ${variable}=${port + 1} npm start`,
  );
}
