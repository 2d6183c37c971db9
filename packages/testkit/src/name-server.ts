import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';

export interface SrvTarget {
  host: string;
  port: number;
}

const SRV = 33;
const INTERNET = 1;
const TTL_SECONDS = 0;
const HEADER_BYTES = 12;
/** A response with authority, to a query that asks for recursion. */
const RESPONSE = 0x8580;
const NO_SUCH_NAME = 3;
/** Points to the name of the question, which follows the header. */
const QUESTION_NAME = 0xc000 | HEADER_BYTES;

/** A DNS server of SRV records, which change as a test likes; this process asks it until it is stopped. */
export class NameServer {
  /** How often it was asked. */
  asked = 0;
  private readonly records = new Map<string, SrvTarget[]>();
  private readonly others = dns.getServers();

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, { port, address }) => socket.send(this.respond(query), port, address));
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const server = new NameServer(socket);
    dns.setServers([`127.0.0.1:${socket.address().port}`]);
    return server;
  }

  setTargets(name: string, targets: SrvTarget[]): void {
    this.records.set(name, targets);
  }

  stop(): void {
    dns.setServers(this.others);
    this.socket.close();
  }

  private respond(query: Buffer): Buffer {
    this.asked += 1;
    const { name, end } = readName(query, HEADER_BYTES);
    const question = query.subarray(HEADER_BYTES, end + 4);
    const targets = query.readUInt16BE(end) === SRV ? (this.records.get(name) ?? []) : [];
    const code = targets.length === 0 ? NO_SUCH_NAME : 0;
    const header = numbers(query.readUInt16BE(0), RESPONSE | code, 1, targets.length, 0, 0);
    return Buffer.concat([header, question, ...targets.map(answerWith)]);
  }
}

function answerWith({ host, port }: SrvTarget): Buffer {
  const target = Buffer.concat([numbers(0, 0, port), writeName(host)]);
  return Buffer.concat([numbers(QUESTION_NAME, SRV, INTERNET, 0, TTL_SECONDS, target.length), target]);
}

const writeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])),
    Buffer.of(0),
  ]);

function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = bytes[at]!; length > 0; length = bytes[at]!) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** Of 16 bits each. */
const numbers = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));
