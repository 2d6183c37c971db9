import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
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
  /** How long an answer is waited for. */
  answerMs?: number;
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
  async register(user: SipUser, expiresSeconds = 300): Promise<number | undefined> {
    const { transport, address = '127.0.0.1' } = this.options;
    const own = `${address}:${this.wire.port}`;
    return tryToRegister(user, { own, transport, expiresSeconds, exchange: this.exchange });
  }

  close(): void {
    this.wire.close();
  }

  private readonly exchange: Exchange = (request) =>
    new Promise((resolve, reject) => {
      const branch = branchOf(parseSip(request)!);
      const timer = setTimeout(() => settle(new Error('no answer')), this.options.answerMs ?? ANSWER_MS);
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

const openers: Record<SipTransport, Opener> = {
  async UDP({ server, address }, onMessage) {
    const socket = createSocket('udp4');
    socket.on('message', (bytes) => onMessage(bytes.toString('utf8')));
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    const [host, port] = server.split(':');
    return {
      port: socket.address().port,
      send: (message) => socket.send(message, Number(port), host),
      close: () => socket.close(),
    };
  },
  async TCP({ server, address }, onMessage, onClose) {
    const [host, port] = server.split(':');
    const socket = connect({ host, port: Number(port), localAddress: address });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    let rest = '';
    // Answers to a REGISTER have no body, so each ends with the first empty line.
    socket.setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\r\n\r\n');
      rest = messages.pop() ?? '';
      for (const message of messages) onMessage(`${message.trimStart()}\r\n\r\n`);
    });
    socket.on('error', () => undefined).on('close', onClose);
    return {
      port: socket.localPort ?? 0,
      send: (message) => socket.write(message),
      close: () => socket.destroy(),
    };
  },
  async WS({ server, address, headers }, onMessage, onClose) {
    const socket = new WebSocket(server, 'sip', { localAddress: address, headers });
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.on('message', (data: Buffer) => onMessage(data.toString('utf8')));
    socket.on('error', () => undefined).on('close', onClose);
    return { port: 5060, send: (message) => socket.send(message), close: () => socket.terminate() };
  },
};
