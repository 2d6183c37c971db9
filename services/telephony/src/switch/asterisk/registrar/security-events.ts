import { connect, type Socket } from 'node:net';
import type { Logger } from '@sabia/service-kit/logging';
import { createBackOff } from '../back-off';
import { readMessages, toSecurityEvent, type SecurityEvent } from './security-event';

export interface SecurityEventsOptions {
  host: string;
  port: number;
  user: string;
  password: string;
  log: Logger;
  onEvent: (event: SecurityEvent) => void;
  /** After each (re)connection. */
  onConnected?: () => void;
}

/**
 * Asterisk's security log as a stream over the network (AMI), because telephony may run on another machine than the log. Events
 * that happen while the connection is down are lost.
 */
export class SecurityEvents {
  private socket: Socket | undefined;
  private wanted = false;
  private loggedIn = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly backOff = createBackOff({ shortestMs: 100, longestMs: 5_000 });

  constructor(private readonly options: SecurityEventsOptions) {}

  get isConnected(): boolean {
    return this.loggedIn;
  }

  start(): void {
    if (this.wanted) return;
    this.wanted = true;
    this.connect();
  }

  stop(): void {
    this.wanted = false;
    clearTimeout(this.retry);
    this.socket?.destroy();
  }

  private connect(): void {
    const { host, port, user, password, log } = this.options;
    const socket = connect({ host, port, keepAlive: true, keepAliveInitialDelay: 10_000 });
    this.socket = socket;
    let rest = '';
    socket.setEncoding('utf8');
    socket.once('connect', () => {
      socket.write(`Action: Login\r\nUsername: ${user}\r\nSecret: ${password}\r\nEvents: security\r\n\r\n`);
    });
    socket.on('data', (text: string) => {
      const read = readMessages(rest + text);
      rest = read.rest;
      for (const message of read.messages) this.receive(message);
    });
    socket.on('error', (error) => log.debug({ err: error }, 'the stream of security events failed'));
    socket.once('close', () => {
      this.loggedIn = false;
      if (this.wanted) this.retry = setTimeout(() => this.connect(), this.backOff.next());
    });
  }

  private receive(message: ReadonlyMap<string, string>): void {
    const { log, onEvent, onConnected } = this.options;
    // Events can have a field Response as well: the failed response to a challenge.
    const response = message.has('Event') ? undefined : message.get('Response');
    if (response === 'Success') {
      this.loggedIn = true;
      this.backOff.reset();
      onConnected?.();
    } else if (response) {
      log.error({ reason: message.get('Message') }, 'Asterisk refuses the login for security events');
      this.socket?.destroy();
    }
    const event = toSecurityEvent(message);
    if (event) onEvent(event);
  }
}
