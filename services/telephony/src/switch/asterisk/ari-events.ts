import type { Logger } from '@sabia/service-kit/logging';
import WebSocket from 'ws';
import { basic } from './ari-http';
import type { AriEvent } from './ari-types';
import { createBackOff } from './back-off';

export interface AriEventsOptions {
  url: string;
  user: string;
  password: string;
  app: string;
  log: Logger;
  onEvent: (event: AriEvent) => void;
  /**
   * After each (re)connection. Asterisk keeps nothing for those who are away and tells nothing twice: whoever holds state
   * compares it now with what there is.
   */
  onConnected?: () => void;
  onDisconnected?: () => void;
  /** Another process took the application over. No attempt is made to take it back; start() does that. */
  onReplaced?: () => void;
  pingMs?: number;
}

/** The stream of events of one application, kept open. */
export class AriEvents {
  private socket: WebSocket | undefined;
  private wanted = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly backOff = createBackOff({ shortestMs: 100, longestMs: 5_000 });

  constructor(private readonly options: AriEventsOptions) {}

  get isConnected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  start(): void {
    if (this.wanted) return;
    this.wanted = true;
    this.connect();
  }

  async stop(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.retry);
    const { socket } = this;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const insist = setTimeout(() => socket.terminate(), 1_000);
      socket.once('close', () => {
        clearTimeout(insist);
        resolve();
      });
      socket.close();
    });
  }

  private connect(): void {
    const { url, user, password, app, log, onConnected, onDisconnected, pingMs = 10_000 } = this.options;
    const address = new URL(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/events`);
    address.searchParams.set('app', app);
    const socket = new WebSocket(address, {
      headers: { authorization: basic(user, password) },
      handshakeTimeout: 5_000,
      perMessageDeflate: false,
    });
    this.socket = socket;
    let heartbeat: NodeJS.Timeout | undefined;
    let wasOpen = false;

    socket.on('open', () => {
      wasOpen = true;
      this.backOff.reset();
      // A connection whose other end is gone without a word looks like a quiet one.
      let answered = true;
      socket.on('pong', () => (answered = true));
      heartbeat = setInterval(() => {
        if (!answered) return socket.terminate();
        answered = false;
        socket.ping();
      }, pingMs);
      onConnected?.();
    });
    socket.on('message', (data: Buffer) => this.receive(data));
    socket.on('error', (error) => log.debug({ err: error }, 'the event stream of Asterisk failed'));
    socket.on('close', () => {
      clearInterval(heartbeat);
      if (wasOpen) onDisconnected?.();
      if (this.wanted && this.socket === socket) this.retry = setTimeout(() => this.connect(), this.backOff.next());
    });
  }

  private receive(data: Buffer): void {
    const { log, onEvent, onReplaced } = this.options;
    let event: AriEvent;
    try {
      event = JSON.parse(data.toString('utf8')) as AriEvent;
    } catch (error) {
      log.error({ err: error }, 'Asterisk sent an event that is no JSON');
      return;
    }
    if (event.type === 'ApplicationReplaced') {
      this.wanted = false;
      this.socket?.close();
      onReplaced?.();
      return;
    }
    try {
      onEvent(event);
    } catch (error) {
      log.error({ err: error, event: event.type }, 'an event of Asterisk could not be handled');
    }
  }
}
