import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@sabia/embedded/process/ports';
import { eventually } from '../eventually';
import { baresipConfiguration, ownLoopback } from './baresip-configuration';
import { ControlConnection, type ControlAddress, type SoftphoneEvent } from './control-connection';
import { findBaresip } from './programs';
import { findTone, measureSound, type Sound, type Tone } from './wave-file';

export interface SoftphoneOptions {
  domain: string;
  ramal: string;
  senha: string;
  /** host:port of a SIP edge. */
  server: string;
  transport?: 'udp' | 'tcp' | 'tls';
  /** Speaks SRTP where the other side does. */
  encrypts?: boolean;
  /** Default: answers automatically. */
  answers?: 'auto' | 'manual';
  /** The local address; another loopback address makes the phone another source. */
  address?: string;
  /** Takes calls to any number at this port, as a carrier does. */
  port?: number;
  expiresSeconds?: number;
  /** User name for challenges, if it is not the number. */
  authUser?: string;
  /** False: the phone only places calls, as a carrier does. */
  registers?: boolean;
  /** Whether it goes on for as long as its process; otherwise it ends after a while, in case a test run was killed. */
  endless?: boolean;
  onEvent?: (event: SoftphoneEvent) => void;
}

export interface RtpCount {
  sent: number;
  received: number;
}

/** The only one: with several Asterisk may change the codec after the first packets, and baresip records nothing after a change. */
const CODEC = 'PCMA/8000/1';
/** What baresip prints several times a second during a call. */
const CALL_STATUS = /\[\d+:\d+:\d+\] audio=\d+\/\d+ \(bit\/s\)\s*/g;

/** Longer than any test; ends the softphone of a test run that was killed. */
const LIFETIME_SECONDS = 900;

/** A real SIP phone: baresip under remote control. It plays a tone to the other party and records what it hears. */
export class Softphone {
  readonly events: SoftphoneEvent[] = [];
  private control: ControlConnection | undefined;

  private constructor(
    readonly options: SoftphoneOptions,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Starts the phone, which begins to register; see waitRegistered(). */
  static async start(options: SoftphoneOptions): Promise<Softphone> {
    const program = await findBaresip();
    const folder = mkdtempSync(join(tmpdir(), 'sabia-softphone-'));
    const control = { host: ownLoopback(), port: await freePort() };
    const { address, port } = options;
    writeFileSync(join(folder, 'config'), baresipConfiguration(program, { address, port, folder, control }));
    writeFileSync(join(folder, 'accounts'), '');
    const args = [...program.args, '-f', folder, ...(options.endless ? [] : ['-t', String(LIFETIME_SECONDS)])];
    const child = spawn(program.command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const phone = new Softphone(options, child, folder);
    try {
      await phone.takeControl(control);
      await phone.register();
      return phone;
    } catch (error) {
      await phone.kill();
      throw error;
    }
  }

  /** Registers at another server, besides the one before; calls go on. */
  async moveTo(server: string): Promise<void> {
    this.forget();
    await this.register(server);
    await this.waitRegistered();
  }

  /** Rejects as soon as the registrar refuses. */
  async waitRegistered(timeoutMs?: number): Promise<void> {
    const event = await this.waitFor(['REGISTER_OK', 'REGISTER_FAIL'], timeoutMs);
    if (event.type === 'REGISTER_FAIL') throw new Error(`not registered: ${event.param}`);
  }

  /** The first event of one of the types, past or to come. */
  async waitFor(types: string | readonly string[], timeoutMs?: number): Promise<SoftphoneEvent> {
    const wanted = typeof types === 'string' ? [types] : types;
    return eventually(() => this.events.find(({ type }) => wanted.includes(type)), { timeoutMs, intervalMs: 10 });
  }

  /** Forgets all events so far. */
  forget(): void {
    this.events.length = 0;
  }

  async dial(number: string): Promise<void> {
    await this.command('dial', `sip:${number}@${this.options.domain}`);
  }

  async answer(): Promise<void> {
    await this.command('accept');
  }

  /** Ends the call, or refuses one that rings (486). */
  async hangup(): Promise<void> {
    await this.command('hangup');
  }

  /** Presses keys, one after the other (RFC 4733). */
  async press(keys: string): Promise<void> {
    for (const key of keys) await this.command('sndcode', key);
  }

  /** Presses the keys of a code again until it is heard: keys are lost while nobody listens. A star takes back what came before. */
  async pressUntil(code: string, isHeard: () => Promise<boolean> | boolean): Promise<void> {
    await eventually(async () => {
      // Keys can be pressed during a call alone, and it may have ended because they were heard.
      if (await isHeard()) return true;
      await this.press(`*${code}`);
      return eventually(isHeard, { timeoutMs: 3_000 }).catch(() => false);
    });
  }

  /** Packets of all ended calls, from baresip's statistics. */
  get rtp(): RtpCount {
    const counts = [...this.output.matchAll(/^packets:\s+(\d+)\s+(\d+)/gm)];
    return {
      sent: counts.reduce((sum, [, sent]) => sum + Number(sent), 0),
      received: counts.reduce((sum, [, , received]) => sum + Number(received), 0),
    };
  }

  /** The sound heard so far in the latest call. */
  heard(): Sound {
    return measureSound(this.audio());
  }

  /** Waits until it has heard enough sound in the latest call. */
  async waitHeard({ seconds = 0, loudness = 0 }: Partial<Sound>): Promise<void> {
    await eventually(() => {
      const heard = this.heard();
      if (heard.seconds > seconds && heard.loudness > loudness) return true;
      const events = this.events.map(({ type }) => type).join(', ');
      const said = this.output.replaceAll(CALL_STATUS, '').slice(-2_000);
      throw new Error(`heard ${heard.seconds.toFixed(1)} s at ${heard.loudness.toFixed(0)} after ${events}:\n${said}`);
    });
  }

  /** When a tone of this frequency was heard in the latest call. */
  heardTone(hertz: number): Tone | undefined {
    return findTone(this.audio(), hertz);
  }

  /** Hangs up, unregisters and ends. */
  async stop(): Promise<void> {
    const ended = this.waitForEnd();
    await this.command('quit').catch(() => undefined);
    const insist = setTimeout(() => this.child.kill('SIGKILL'), 30_000);
    await ended;
    clearTimeout(insist);
    this.cleanUp();
  }

  /** Ends like a phone whose battery is empty, without unregistering. */
  async kill(): Promise<void> {
    const ended = this.waitForEnd();
    this.child.kill('SIGKILL');
    await ended;
    this.cleanUp();
  }

  private output = '';

  private audio(): Buffer {
    const latest = readdirSync(this.folder)
      .filter((name) => name.endsWith('-dec.wav'))
      .sort()
      .at(-1);
    return latest ? readFileSync(join(this.folder, latest)) : Buffer.alloc(0);
  }

  private async takeControl(control: ControlAddress): Promise<void> {
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.control = await eventually(
      () => {
        if (this.child.exitCode !== null) throw new Error(`the softphone ended: ${this.output}`);
        return ControlConnection.open(control, (event) => {
          this.events.push(event);
          this.options.onEvent?.(event);
        });
      },
      { intervalMs: 20 },
    );
  }

  private async register(server = this.options.server): Promise<void> {
    const { domain, ramal, senha, transport = 'udp', answers = 'auto', encrypts = false } = this.options;
    const { authUser = ramal, registers = true, expiresSeconds = 300 } = this.options;
    const parameters = [
      `auth_user=${authUser}`,
      `auth_pass=${senha}`,
      `outbound="sip:${server};transport=${transport}"`,
      `regint=${registers ? expiresSeconds : 0}`,
      `answermode=${answers}`,
      `audio_codecs=${CODEC}`,
      ...(encrypts ? ['mediaenc=srtp'] : []),
      ...(this.options.port === undefined ? [] : ['catchall=yes']),
    ];
    await this.command('uanew', `<sip:${ramal}@${domain};transport=${transport}>;${parameters.join(';')}`);
  }

  private async command(command: string, params?: string): Promise<string> {
    if (!this.control) throw new Error('the softphone has no remote control yet');
    return this.control.command(command, params);
  }

  private async waitForEnd(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    await new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
  }

  private cleanUp(): void {
    this.control?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
