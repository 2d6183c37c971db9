import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK, ownAddress, WILDCARD } from '../asterisk/asterisk-addresses';
import { acceptsTcp, answersSipOverUdp, isUdpPortFree } from '../asterisk/sip-ports';
import { inheritedEnvironment } from '../config';
import { makePrivateFolder } from '../files';
import { keepAlive } from '../process/keep-alive';
import { ManagedProcess, type ProcessOptions } from '../process/managed-process';
import { openPortBook, type PortBook } from '../process/port-book';
import { createRegistry, type ProcessRegistry } from '../process/registry';
import type { Program } from '../programs/debian-bundle';
import { renderConfiguration } from '../programs/render';
import { openSecrets, type Secrets } from '../secrets';
import { kamailioValues, type KamailioAddresses } from './kamailio-values';
import { templateFolder } from './recipe';

export interface KamailioOptions {
  /** One per edge: it stands in the rows of the phones that it has. Default: edge. */
  name?: string;
  program: Program;
  home: string;
  /** The database with schema sip, as the role sabia_edge. */
  postgresUrl: string;
  /** Where phones connect: an address of this machine, or 0.0.0.0 for all. Default: loopback. */
  sipHost?: string;
  sipHost6?: string;
  /** A port that all edges of this machine listen on: what nodes say in calls reaches one that lives. */
  sharedPort?: number;
  /** The files of a certificate; without them there is neither TLS nor WSS. */
  tls?: { certificate: string; key: string };
  /** Addresses and networks that are never banned. Default: loopback, where the users of this machine are. */
  spared?: readonly string[];
  ports?: PortBook;
  registry?: ProcessRegistry;
  secrets?: Secrets;
  /** If given, the death of the edge is reported here and it is started again. */
  onDeath?: (name: string, how: string) => void;
  onRevival?: (name: string) => void;
  signal?: AbortSignal;
}

export interface Kamailio {
  name: string;
  /** host:port for softphones and carriers. */
  sipUdp: string;
  sipTcp: string;
  sipTls: string;
  /** For web phones behind the gateway. */
  ws: string;
  wss: string;
  sharedPort: number | undefined;
  readonly pid: number | undefined;
  /** On the same ports as before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** As kill -9; stays away until start(). */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
}

/** Starts a SIP edge. */
export async function startKamailio(options: KamailioOptions): Promise<Kamailio> {
  const { name = 'edge', home, signal, ports = openPortBook(home) } = options;
  for (let attempt = 1; ; attempt++) {
    const addresses = await chooseAddresses(name, options, ports, attempt);
    const managed = prepare(name, options, addresses);
    const onAbort = () => void managed.stop();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort);
    try {
      await managed.start();
      return describe(name, managed, addresses);
    } catch (error) {
      signal?.throwIfAborted();
      // Another process may have taken a port between the check and the start.
      if (attempt >= 3 || (await isUdpPortFree(addresses.sipPort, addresses.sipHost))) throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** The ports of the last start, or others if those are taken or the first attempt with them failed. */
async function chooseAddresses(
  name: string,
  { sipHost = LOOPBACK, sipHost6 = '', sharedPort }: KamailioOptions,
  ports: PortBook,
  attempt: number,
): Promise<KamailioAddresses> {
  const own = ownAddress(sipHost);
  const take = async (part: string, udpHost?: string): Promise<number> => {
    let port = attempt === 1 ? await ports.take(`${name}-${part}`) : await ports.takeAnother(`${name}-${part}`);
    while (udpHost && !(await isUdpPortFree(port, udpHost))) port = await ports.takeAnother(`${name}-${part}`);
    return port;
  };
  return {
    ...{ sipHost, sipHost6, publicAddress: own, nodesHost: own, sharedPort },
    sipPort: await take('sip', sipHost),
    nodesPort: await take('nodes', own),
    wsPort: await take('ws'),
    tlsPort: await take('tls'),
    wssPort: await take('wss'),
  };
}

function prepare(name: string, options: KamailioOptions, addresses: KamailioAddresses): ManagedProcess {
  const { program, home, postgresUrl, tls, spared = [LOOPBACK, '::1'], onDeath, onRevival } = options;
  const { registry = createRegistry(join(home, 'run')), secrets = openSecrets(home) } = options;
  const folder = join(home, name);
  makePrivateFolder(folder);
  mkdirSync(join(folder, 'run'), { recursive: true });
  const secret = secrets.get('edges');
  renderConfiguration(
    templateFolder,
    join(folder, 'etc'),
    kamailioValues({ name, folder, postgresUrl, addresses, secret, spared, tls }),
  );
  const probed = addresses.sipHost === WILDCARD ? LOOPBACK : addresses.sipHost;
  const modules = program.bundle ? ['-L', join(program.bundle, 'lib/kamailio/modules')] : [];
  const spec: Omit<ProcessOptions, 'onUnexpectedExit'> = {
    name,
    command: program.command,
    args: [
      ...program.args,
      ...modules,
      ...['-f', join(folder, 'etc/kamailio.cfg'), '-Y', join(folder, 'run'), '-P', join(folder, 'run/pid')],
      // In the foreground, the log to its output; memory in MB, shared and of each process.
      ...['-w', folder, '-DD', '-E', '-m', '256', '-M', '16'],
    ],
    env: inheritedEnvironment({ PGPASSWORD: decodeURIComponent(new URL(postgresUrl).password) }),
    cwd: folder,
    registry,
    rank: 1,
    logFile: join(home, `logs/${name}.log`),
    stopTimeoutMs: 5_000,
    leavesChildren: true,
    async ready() {
      await acceptsTcp(LOOPBACK, addresses.wsPort);
      await acceptsTcp(probed, addresses.sipPort);
      await answersSipOverUdp(probed, addresses.sipPort);
    },
  };
  if (!onDeath) return new ManagedProcess(spec);
  return keepAlive(
    spec,
    (how) => onDeath(name, how),
    () => onRevival?.(name),
  );
}

function describe(name: string, managed: ManagedProcess, addresses: KamailioAddresses): Kamailio {
  const { publicAddress, sipPort, tlsPort, wsPort, wssPort, sharedPort } = addresses;
  return {
    ...{ name, sharedPort },
    sipUdp: `${publicAddress}:${sipPort}`,
    sipTcp: `${publicAddress}:${sipPort}`,
    sipTls: `${publicAddress}:${tlsPort}`,
    ws: `ws://${LOOPBACK}:${wsPort}/`,
    wss: `wss://${publicAddress}:${wssPort}/`,
    get pid() {
      return managed.pid;
    },
    start: () => managed.start(),
    stop: () => managed.stop(),
    kill: () => managed.kill(),
    pause: () => managed.pause(),
    resume: () => managed.resume(),
  };
}
