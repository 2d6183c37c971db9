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
   * After each (re)connection. Asterisk keeps no events for a client that is away: state must now be compared with the switch.
   */
  onConnected?: () => void;
  onDisconnected?: () => void;
  /** Pings get no pong; the connection is being given up. */
  onSilent?: () => void;
  /** Another process took over the application. It is not taken back until start() is called. */
  onReplaced?: () => void;
  pingMs?: number;
}

/** After this many pings without a pong the connection is dead. */
const UNANSWERED = 3;

/** The stream of events of one application; reconnects by itself. */
export class AriEvents {
  private socket: WebSocket | undefined;
  private wanted = false;
  private retry: NodeJS.Timeout | undefined;
  /** How often an open connection was lost. */
  losses = 0;
  private heardAt = performance.now();
  private readonly backOff = createBackOff({ shortestMs: 100, longestMs: 5_000 });

  constructor(private readonly options: AriEventsOptions) {}

  get isConnected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Milliseconds since Asterisk was last heard. */
  get silentMs(): number {
    return performance.now() - this.heardAt;
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
    const { url, user, password, app, log, onConnected, onDisconnected, pingMs = 500 } = this.options;
    const address = new URL(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/events`);
    address.searchParams.set('app', app);
    // A channel that was called enters the application only when it has answered, and the end of one that was never in a bridge is told
    // to subscribers only.
    address.searchParams.set('subscribeAll', 'true');
    const socket = new WebSocket(address, {
      headers: { authorization: basic(user, password) },
      handshakeTimeout: 5_000,
      perMessageDeflate: false,
    });
    this.socket = socket;
    let heartbeat: NodeJS.Timeout | undefined;
    let wasOpen = false;
    let unanswered = 0;
    const heard = (): void => {
      unanswered = 0;
      this.heardAt = performance.now();
    };
    const beat = (): void => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (unanswered === UNANSWERED) {
        this.options.onSilent?.();
        socket.terminate();
        return;
      }
      unanswered += 1;
      socket.ping();
    };

    socket.on('open', () => {
      wasOpen = true;
      this.backOff.reset();
      heard();
      // Data that arrived while this process was busy or asleep is read first.
      heartbeat = setInterval(() => setImmediate(beat), pingMs);
      onConnected?.();
    });
    socket.on('pong', heard);
    socket.on('message', (data: Buffer) => {
      heard();
      this.receive(data);
    });
    socket.on('error', (error) => log.debug({ err: error }, 'the event stream of Asterisk failed'));
    socket.on('close', () => {
      clearInterval(heartbeat);
      if (wasOpen) {
        this.losses += 1;
        onDisconnected?.();
      }
      if (this.wanted && this.socket === socket) this.retry = setTimeout(() => this.connect(), this.backOff.next());
    });
  }

  private receive(data: Buffer): void {
    const { log, onEvent, onReplaced } = this.options;
    let event: AriEvent;
    try {
      event = JSON.parse(data.toString('utf8')) as AriEvent;
    } catch (error) {
      log.error({ err: error }, 'Asterisk sent an event that is not JSON');
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
