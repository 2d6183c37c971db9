import type { Socket } from 'jssip';
import { pauseBefore } from './backoff';

export interface SipSocketOptions {
  url: string;
  /** The connection is lost, or could not be made; the next attempt begins at `retryAt`. */
  onLost: (retryAt: number) => void;
}

/** JsSIP calls connect() this long after a loss. */
export const reconnectSeconds = 1;

/** The WebSocket under JsSIP. It waits longer after each failure, and can be dropped when it has stopped carrying anything. */
export class SipSocket implements Socket {
  readonly sip_uri: string;
  via_transport: string;
  // JsSIP sets these.
  onconnect = (): void => undefined;
  ondisconnect = (_error: boolean, _code?: number, _reason?: string): void => undefined;
  ondata = (_data: unknown): void => undefined;

  /** When anything arrived last. */
  heardAt = 0;
  private webSocket: WebSocket | undefined;
  private attempt = 0;
  private pauseMs = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silent = false;

  constructor(private readonly options: SipSocketOptions) {
    const { protocol, host } = new URL(options.url);
    this.via_transport = protocol === 'wss:' ? 'WSS' : 'WS';
    this.sip_uri = `sip:${host};transport=ws`;
  }

  get url(): string {
    return this.options.url;
  }

  connect(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.pauseMs);
  }

  /** Skips the pause before the next attempt. */
  hurry(): void {
    this.pauseMs = 0;
    if (this.timer === undefined || this.webSocket !== undefined) return;
    clearTimeout(this.timer);
    this.open();
  }

  disconnect(): void {
    clearTimeout(this.timer);
    this.forget()?.close();
  }

  /** Gives up a connection that nothing comes through any more, without waiting for the network to notice. */
  drop(): void {
    const dropped = this.forget();
    if (dropped === undefined) return;
    dropped.close();
    this.lost(true);
  }

  /** From now on nothing is sent: another tab goes on with the calls of this one. */
  silence(): void {
    this.silent = true;
  }

  send(message: string | ArrayBufferLike | Blob | ArrayBufferView): boolean {
    if (this.silent) return true;
    if (!this.isConnected()) return false;
    this.webSocket?.send(message as string);
    return true;
  }

  isConnected(): boolean {
    return this.webSocket?.readyState === WebSocket.OPEN;
  }

  isConnecting(): boolean {
    return this.webSocket?.readyState === WebSocket.CONNECTING;
  }

  private open(): void {
    this.timer = undefined;
    const webSocket = new WebSocket(this.options.url, 'sip');
    this.webSocket = webSocket;
    webSocket.onopen = () => {
      this.attempt = 0;
      this.heardAt = Date.now();
      this.onconnect();
    };
    webSocket.onmessage = ({ data }) => {
      this.heardAt = Date.now();
      this.ondata(data);
    };
    webSocket.onclose = ({ wasClean, code, reason }) => {
      this.forget();
      this.lost(!wasClean, code, reason);
    };
  }

  private forget(): WebSocket | undefined {
    const { webSocket } = this;
    if (webSocket !== undefined) webSocket.onopen = webSocket.onmessage = webSocket.onclose = null;
    this.webSocket = undefined;
    return webSocket;
  }

  private lost(isError: boolean, code?: number, reason?: string): void {
    this.attempt += 1;
    this.pauseMs = pauseBefore(this.attempt);
    this.options.onLost(Date.now() + reconnectSeconds * 1000 + this.pauseMs);
    this.ondisconnect(isError, code, reason);
  }
}
