import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUdpPortFree } from '@sabia/embedded/asterisk/sip-ports';
import { freePort } from '@sabia/embedded/process/ports';
import { eventually } from '../eventually';
import { findSipp } from './programs';
import { parseSip, type SipMessage } from './sip-message';
import type { Scenario } from './sipp-scenarios';

const HOST = '127.0.0.1';

export interface SippCarrierOptions {
  /** Default: any free port. */
  port?: number;
  /** For large numbers of calls: no audio is sent back, and no requests are kept. */
  busy?: boolean;
  /** Default: udp. */
  transport?: 'udp' | 'tcp';
}

/** A carrier that speaks SIP as its scenario says. */
export class SippCarrier {
  private constructor(
    /** host:port */
    readonly server: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(scenario: Scenario, options: SippCarrierOptions = {}): Promise<SippCarrier> {
    const { command, args } = await findSipp();
    const folder = mkdtempSync(join(tmpdir(), 'sabia-carrier-'));
    writeFileSync(join(folder, 'scenario.xml'), scenario);
    const port = options.port ?? (await freePort());
    const memory = ['-trace_msg', '-message_file', join(folder, 'messages')];
    const child = spawn(
      command,
      [
        ...args,
        ...['-sf', join(folder, 'scenario.xml'), '-i', HOST, '-p', String(port), '-nostdin'],
        ...['-mi', HOST, '-mp', String(await freePort()), '-trace_err', '-error_file', join(folder, 'errors')],
        ...(options.transport === 'tcp' ? ['-t', 't1'] : []),
        ...(options.busy ? [] : ['-rtp_echo', ...memory]),
        // Asterisk sends OPTIONS now and then, and places no calls through a carrier that does not answer them.
        '-aa',
      ],
      { cwd: folder, stdio: 'ignore', env: { TERM: 'dumb' } },
    );
    const carrier = new SippCarrier(`${HOST}:${port}`, child, folder);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`sipp ended with ${child.exitCode}: ${carrier.read('errors')}`);
      return options.transport === 'tcp' ? isListening(port) : !(await isUdpPortFree(port, HOST));
    });
    return carrier;
  }

  /** The requests so far. */
  requests(method: string): SipMessage[] {
    return this.read('messages')
      .split(/^-{20,}.*$/m)
      .flatMap((entry) => {
        const [, text] = /message received \[\d+\] bytes\s*:\s*\n\n([^]*)$/.exec(entry) ?? [];
        const message = text === undefined ? undefined : parseSip(text.replace(/\r?\n/g, '\r\n'));
        return message?.method === method ? [message] : [];
      });
  }

  async stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private read(name: string): string {
    const path = join(this.folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  await once(socket, 'connect');
  socket.destroy();
  return true;
}
