import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inheritedEnvironment } from '../config';
import { makePrivateFolder } from '../files';
import { keepAlive } from '../process/keep-alive';
import { ManagedProcess, type ProcessOptions } from '../process/managed-process';
import { openPortBook, type PortBook } from '../process/port-book';
import { createRegistry, type ProcessRegistry } from '../process/registry';
import type { Program } from '../programs/debian-bundle';
import { renderConfiguration } from '../programs/render';
import type { Progress } from '../progress';
import { openSecrets, type Secrets } from '../secrets';
import { areFree, chooseAddresses, LOOPBACK } from './asterisk-addresses';
import { asteriskValues, type AsteriskAddresses } from './asterisk-values';
import { takeAudioPorts, type AudioPorts, type PortRange } from './audio-ports';
import { findAsterisk } from './find-asterisk';
import { templateFolder } from './recipe';
import { acceptsTcp, answersSipOverUdp } from './sip-ports';

export interface AsteriskOptions {
  /** One per node: that of its row in sip.switches, and of its folder. Default: asterisk. */
  name?: string;
  home: string;
  cache: string;
  /** The database with the views of schema sip, as the role sabia_asterisk. */
  postgresUrl: string;
  progress?: Progress;
  /** Where carriers reach it, and the edges of this machine: an address, or 0.0.0.0 for the machine's first one. Default: loopback. */
  sipHost?: string;
  /** Default: any free one. */
  sipPort?: number;
  /** Where telephony receives copies of SIP messages, on loopback; 0: none are sent. Default: any free one. */
  capturePort?: number;
  path?: string;
  ports?: PortBook;
  registry?: ProcessRegistry;
  secrets?: Secrets;
  /** If given, Asterisk's death is reported here and it is started again. */
  onDeath?: (name: string, how: string) => void;
  onRevival?: (name: string) => void;
  signal?: AbortSignal;
}

/** Credentials with which a phone acts as the carrier: its calls come from outside, and the user part of From is the caller's number. */
export interface TestCarrier {
  /** host:port */
  sip: string;
  /** The domain of From. */
  domain: string;
  /** For the challenge. */
  username: string;
  password: string;
}

export interface Asterisk {
  name: string;
  ariUrl: string;
  ariUser: string;
  ariPassword: string;
  /** Where edges send calls to, over TCP, and ask over UDP whether it is there. */
  sip: { host: string; port: number };
  /** Where it sends copies of SIP messages to; undefined: it sends none. */
  sipCapture?: { host: string; port: number };
  /** The dialled number goes before the @. */
  testTrunk: string;
  /** Where the far end of that trunk listens. */
  testCarrierPort: number;
  /** Credentials of the far end of that trunk. */
  testCarrier: TestCarrier;
  readonly pid: number | undefined;
  /** On the same ports as before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** As kill -9; stays away until start(). */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
}

/** Returns undefined where no Asterisk is available; calls are then simulated. */
export async function startAsterisk(options: AsteriskOptions): Promise<Asterisk | undefined> {
  const { name = 'asterisk', home, cache, progress = () => undefined, path = '', signal } = options;
  const search = await findAsterisk({ cache, path, progress, signal });
  if (!search.program) {
    progress(`no Asterisk, so calls will be simulated: ${search.reason}`);
    return undefined;
  }
  const { program } = search;
  const { ports = openPortBook(home), secrets = openSecrets(home) } = options;
  const audio = await takeAudioPorts();
  for (let attempt = 1; ; attempt++) {
    const addresses = await chooseAddresses(name, options, ports, attempt);
    const managed = prepare(program, { ...options, name, secrets, audio }, addresses);
    const onAbort = () => void managed.stop();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort);
    try {
      await managed.start();
      return describe(managed, addresses, { secrets, audio });
    } catch (error) {
      // Another process may have taken a port between the check and the start.
      if (signal?.aborted || attempt >= 3 || (await areFree(addresses))) {
        audio.release();
        signal?.throwIfAborted();
        throw error;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

function prepare(
  program: Program,
  options: AsteriskOptions & { name: string; secrets: Secrets; audio: PortRange },
  addresses: AsteriskAddresses,
): ManagedProcess {
  const { name, home, postgresUrl, audio, secrets, onDeath, onRevival } = options;
  const { registry = createRegistry(join(home, 'run')) } = options;
  const folder = join(home, name);
  // Asterisk writes recordings and logs that all users may read, so the folder itself is closed to other users of the machine.
  makePrivateFolder(folder);
  for (const part of ['cache', 'lib/keys', 'log', 'run', 'spool/recording'])
    mkdirSync(join(folder, part), { recursive: true });
  const values = asteriskValues({ name, folder, bundle: program.bundle, postgresUrl, addresses, audio, secrets });
  renderConfiguration(templateFolder, join(folder, 'etc'), values);
  const spec: Omit<ProcessOptions, 'onUnexpectedExit'> = {
    name,
    command: program.command,
    args: [...program.args, '-f', '-C', join(folder, 'etc/asterisk.conf')],
    env: inheritedEnvironment(),
    cwd: folder,
    registry,
    rank: 0,
    logFile: join(home, `logs/${name}.log`),
    stopTimeoutMs: 10_000,
    async ready() {
      await answersAri(addresses.httpPort, secrets.get('ari'));
      await acceptsTcp(addresses.sipHost, addresses.sipPort);
      await answersSipOverUdp(addresses.sipHost, addresses.sipPort);
    },
  };
  if (!onDeath) return new ManagedProcess(spec);
  return keepAlive(
    spec,
    (how) => onDeath(name, how),
    () => onRevival?.(name),
  );
}

async function answersAri(port: number, password: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`sabia:${password}`).toString('base64')}`;
  // Asterisk keeps running when a module fails to load, but without chan_pjsip there are no calls.
  const answer = await fetch(`http://${LOOPBACK}:${port}/ari/asterisk/modules/chan_pjsip.so`, {
    headers: { authorization },
    signal: AbortSignal.timeout(1_000),
  });
  const { status } = (await answer.json()) as { status?: string };
  if (status !== 'Running') throw new Error(`ARI answers ${answer.status}, chan_pjsip is ${status ?? 'missing'}`);
}

function describe(
  managed: ManagedProcess,
  addresses: AsteriskAddresses,
  { secrets, audio }: { secrets: Secrets; audio: AudioPorts },
): Asterisk {
  const { sipHost, sipPort, httpPort, capturePort } = addresses;
  return {
    name: managed.name,
    ariUrl: `http://${LOOPBACK}:${httpPort}/ari`,
    ariUser: 'sabia',
    ariPassword: secrets.get('ari'),
    sip: { host: sipHost, port: sipPort },
    ...(capturePort !== 0 && { sipCapture: { host: LOOPBACK, port: capturePort } }),
    testTrunk: 'trunk-test',
    testCarrierPort: addresses.testCarrierPort,
    testCarrier: {
      sip: `${LOOPBACK}:${addresses.testCarrierPort}`,
      domain: 'test-carrier.invalid',
      username: 'test-carrier',
      password: secrets.get('test-carrier'),
    },
    get pid() {
      return managed.pid;
    },
    async start() {
      await audio.takeAgain();
      await managed.start();
    },
    async stop() {
      await managed.stop();
      audio.release();
    },
    kill: () => managed.kill(),
    pause: () => managed.pause(),
    resume: () => managed.resume(),
  };
}
