import { join } from 'node:path';
import { inheritedEnvironment } from '../config';
import { keepAlive } from '../process/keep-alive';
import type { ManagedProcess } from '../process/managed-process';
import { createRegistry } from '../process/registry';
import type { Blueprint, ServicePlan } from './blueprint';
import { followLog, type LogTail } from './log-tail';
import { accepts, answersHttp, servesGrpc } from './probes';
import type { Reporter } from './reporter';

/** The order of stopping: the gateway drains while the services still answer, and the services while their servers do. */
const RANK = { gateway: 3, service: 2, mailbox: 1 };

/** For the allocator of glibc. Unless told otherwise it keeps the memory that V8 needed to read a program, 10 MB of each process. */
const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

export interface NodeProcessesOptions {
  home: string;
  reporter: Reporter;
  onDeath: (name: string, how: string) => void;
  onRevival: (name: string) => void;
}

/** Services, gateways and the mailbox: everything that is our own code. */
export class NodeProcesses {
  readonly byName = new Map<string, ManagedProcess>();
  private readonly tails = new Map<string, LogTail>();

  constructor(private readonly options: NodeProcessesOptions) {}

  startService(service: ServicePlan): Promise<void> {
    return this.start(service, RANK.service, () => servesGrpc(service.grpc));
  }

  startGateway(gateway: Blueprint['gateways'][number]): Promise<void> {
    return this.start(gateway, RANK.gateway, () => answersHttp(`${gateway.url}/readyz`));
  }

  startMailbox({ mailbox }: Blueprint): Promise<void> {
    const ready = async () => {
      await accepts(mailbox.smtpPort);
      await answersHttp(mailbox.url);
    };
    return this.start({ name: 'mailbox', ...mailbox }, RANK.mailbox, ready);
  }

  /** Removes the process for good. */
  async remove(name: string): Promise<void> {
    await this.byName.get(name)?.stop();
    this.byName.delete(name);
    this.tails.get(name)?.stop();
    this.tails.delete(name);
  }

  async stop(): Promise<void> {
    for (const rank of [RANK.gateway, RANK.service, RANK.mailbox]) {
      const group = [...this.byName.values()].filter(({ options }) => options.rank === rank);
      await Promise.all(group.map((each) => each.stop()));
    }
    for (const tail of this.tails.values()) tail.stop();
  }

  private async start(
    { name, main, environment }: { name: string; main: string; environment: NodeJS.ProcessEnv },
    rank: number,
    ready: () => Promise<void>,
  ): Promise<void> {
    const { home, reporter, onDeath, onRevival } = this.options;
    const logFile = join(home, 'logs', `${name}.log`);
    const managed = keepAlive(
      {
        ...{ name, rank, ready, logFile, registry: createRegistry(join(home, 'run')) },
        ...{
          command: process.execPath,
          args: [main],
          env: { ...mallocSettings, ...inheritedEnvironment(environment) },
        },
      },
      (how) => onDeath(name, how),
      () => onRevival(name),
    );
    this.byName.set(name, managed);
    this.tails.get(name)?.stop();
    this.tails.set(
      name,
      followLog(logFile, (line) => reporter.line(name, line)),
    );
    await managed.start();
  }
}
