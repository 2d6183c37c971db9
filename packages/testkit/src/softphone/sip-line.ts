import { createSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { branchOf, parseSip, type SipMessage } from './sip-message';
import { tryToRegister, type Exchange, type SipTransport, type SipUser } from './sip-registration';

export interface SipLineOptions {
  transport: SipTransport;
  /** host:port, or the URL of a WebSocket. */
  server: string;
  /** The local address; another loopback address makes the line another source. */
  address?: string;
  /** Further headers of the WebSocket's handshake. */
  headers?: Record<string, string>;
}

interface Wire {
  port: number;
  send(message: string): void;
  close(): void;
}

const ANSWER_MS = 10_000;

/** One connection to a registrar, for tests of the status of each attempt or the headers of a call, which a Softphone does not show. */
export class SipLine {
  /** Requests from the other side, such as the INVITE of a call; they are not answered. */
  readonly requests: SipMessage[] = [];
  /** How long an answer is waited for. Short only where silence is what is expected: a busy machine is slow to answer. */
  answerMs = ANSWER_MS;
  private readonly waiting = new Map<string, (answer: SipMessage | Error) => void>();
  private wire!: Wire;

  private constructor(private readonly options: SipLineOptions) {}

  /** Rejects when the connection is refused. */
  static async open(options: SipLineOptions): Promise<SipLine> {
    const line = new SipLine(options);
    const opened = await openers[options.transport](
      { address: '127.0.0.1', ...options },
      (text) => line.receive(text),
      () => line.end(),
    );
    line.wire = opened;
    return line;
  }

  /** Returns the final status. Rejects when there is no answer. */
  async register(user: SipUser, expiresSeconds = 300, contact?: string): Promise<number | undefined> {
    const { transport, address = '127.0.0.1' } = this.options;
    const own = `${isIPv6(address) ? `[${address}]` : address}:${this.wire.port}`;
    return tryToRegister(user, { own, transport, expiresSeconds, contact, exchange: this.exchange });
  }

  close(): void {
    this.wire.close();
  }

  private readonly exchange: Exchange = (request) =>
    new Promise((resolve, reject) => {
      const branch = branchOf(parseSip(request)!);
      const timer = setTimeout(() => settle(new Error('no answer')), this.answerMs);
      const settle = (answer: SipMessage | Error) => {
        clearTimeout(timer);
        this.waiting.delete(branch);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      this.waiting.set(branch, settle);
      this.wire.send(request);
    });

  private receive(text: string): void {
    const message = parseSip(text);
    if (message?.method !== undefined) this.requests.push(message);
    if ((message?.status ?? 0) >= 200) this.waiting.get(branchOf(message!))?.(message!);
  }

  private end(): void {
    for (const settle of [...this.waiting.values()]) settle(new Error('the connection was closed'));
  }
}

type Opener = (
  options: SipLineOptions & { address: string },
  onMessage: (text: string) => void,
  onClose: () => void,
) => Promise<Wire>;

const openWebSocket: Opener = async ({ server, address, headers }, onMessage, onClose) => {
  const socket = new WebSocket(server, 'sip', { localAddress: address, headers, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.on('message', (data: Buffer) => onMessage(data.toString('utf8')));
  socket.on('error', () => undefined).on('close', onClose);
  return { port: 5060, send: (message) => socket.send(message), close: () => socket.terminate() };
};

const openers: Record<SipTransport, Opener> = {
  async UDP({ server, address }, onMessage) {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.on('message', (bytes) => onMessage(bytes.toString('utf8')));
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    const { host, port } = hostAndPort(server);
    return {
      port: socket.address().port,
      send: (message) => socket.send(message, port, host),
      close: () => socket.close(),
    };
  },
  async TCP({ server, address }, onMessage, onClose) {
    const socket = connect({ ...hostAndPort(server), localAddress: address });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return streamOf(socket, onMessage, onClose);
  },
  async TLS({ server, address }, onMessage, onClose) {
    // The certificates of tests are nobody's.
    const options = { ...hostAndPort(server), localAddress: address, rejectUnauthorized: false };
    const socket = connectTls(options);
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    return streamOf(socket, onMessage, onClose);
  },
  WS: openWebSocket,
  WSS: openWebSocket,
};

function hostAndPort(server: string): { host: string; port: number } {
  const colon = server.lastIndexOf(':');
  return { host: server.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(server.slice(colon + 1)) };
}

function streamOf(socket: Socket, onMessage: (text: string) => void, onClose: () => void): Wire {
  let rest = '';
  // Each message ends after the body that its header tells of.
  socket.setEncoding('utf8').on('data', (text: string) => {
    rest = (rest + text).trimStart();
    for (;;) {
      const head = rest.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\n(?:content-length|l)\s*:\s*(\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (rest.length < end) return;
      onMessage(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
  });
  socket.on('error', () => undefined).on('close', onClose);
  return {
    port: socket.localPort ?? 0,
    send: (message) => socket.write(message),
    close: () => socket.destroy(),
  };
}
