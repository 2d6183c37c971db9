import type { Logger } from '@sabia/service-kit/logging';
import WebSocket from 'ws';
import { basic, isGone } from './ari-http';
import type { AriEvent } from './ari-types';
import { createBackOff } from './back-off';

export interface AriEventsOptions {
  url: string;
  user: string;
  password: string;
  app: string;
  log: Logger;
  onEvent: (event: AriEvent) => void;
  /** Has Asterisk send an event to the application. */
  requestEcho: () => Promise<void>;
  /**
   * After each (re)connection, as soon as events arrive. Asterisk keeps none for a client that is away: state must now be compared with the
   * switch.
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
/** An echo is requested with every so many pings, and after this many without any event the connection is deaf. */
const PINGS_PER_ECHO = 2;
const UNHEARD = 3;

/**
 * The stream of events of one application; reconnects by itself. A connection that is open may be deaf: when Asterisk finds several
 * requests for the application at once, such as those that came while it was frozen, the end of one of them can take the application
 * away from another that goes on. So a connection counts only once an event has come over it, and is given up when none does any more.
 */
export class AriEvents {
  private socket: WebSocket | undefined;
  /** The connection over which events have come. */
  private hearing: WebSocket | undefined;
  private wanted = false;
  private retry: NodeJS.Timeout | undefined;
  /** How often an open connection was lost. */
  losses = 0;
  private heardAt = performance.now();
  private readonly backOff = createBackOff({ shortestMs: 100, longestMs: 5_000 });

  constructor(private readonly options: AriEventsOptions) {}

  get isConnected(): boolean {
    return this.hearing?.readyState === WebSocket.OPEN;
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
    let pings = 0;
    let unanswered = 0;
    let unheard = 0;
    let asking = false;
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
      pings += 1;
      if (pings % PINGS_PER_ECHO === 0) listen();
    };
    const listen = (): void => {
      if (unheard === UNHEARD) return giveUpDeaf();
      // An Asterisk that is slow to respond is not deaf: only echoes that it says to have sent count.
      if (asking) return;
      asking = true;
      this.options.requestEcho().then(
        () => {
          asking = false;
          unheard += 1;
        },
        (error: unknown) => {
          asking = false;
          if (isGone(error)) giveUpDeaf();
        },
      );
    };
    const giveUpDeaf = (): void => {
      if (socket.readyState !== WebSocket.OPEN) return;
      log.warn({ url }, 'Asterisk sends no events over an open connection; it is opened anew');
      socket.terminate();
    };

    socket.on('open', () => {
      heard();
      // Data that arrived while this process was busy or asleep is read first.
      heartbeat = setInterval(() => setImmediate(beat), pingMs);
      listen();
    });
    socket.on('pong', heard);
    socket.on('message', (data: Buffer) => {
      heard();
      unheard = 0;
      const event = this.read(data);
      if (event === undefined) return;
      if (this.hearing !== socket && event.type !== 'ApplicationReplaced') {
        this.hearing = socket;
        this.backOff.reset();
        onConnected?.();
      }
      this.receive(event);
    });
    socket.on('error', (error) => log.debug({ err: error }, 'the event stream of Asterisk failed'));
    socket.on('close', () => {
      clearInterval(heartbeat);
      if (this.hearing === socket) {
        this.hearing = undefined;
        this.losses += 1;
        onDisconnected?.();
      }
      if (this.wanted && this.socket === socket) this.retry = setTimeout(() => this.connect(), this.backOff.next());
    });
  }

  private read(data: Buffer): AriEvent | undefined {
    try {
      return JSON.parse(data.toString('utf8')) as AriEvent;
    } catch (error) {
      this.options.log.error({ err: error }, 'Asterisk sent an event that is not JSON');
      return undefined;
    }
  }

  private receive(event: AriEvent): void {
    const { log, onEvent, onReplaced } = this.options;
    // The echo.
    if (event.type === 'ChannelUserevent') return;
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
