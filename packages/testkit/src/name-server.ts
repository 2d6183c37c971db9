import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { readQuestion, type Question } from '@sabia/embedded/discovery/dns-message';

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
    // Its port may have been that of a phone, whose peers still write to it.
    socket.on('message', (message, { port, address }) => {
      const question = readQuestion(message);
      if (question !== undefined) socket.send(this.respond(question), port, address);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const server = new NameServer(socket);
    dns.setServers([`127.0.0.1:${socket.address().port}`]);
    return server;
  }

  setTargets(name: string, targets: SrvTarget[]): void {
    this.records.set(name.toLowerCase(), targets);
  }

  stop(): void {
    dns.setServers(this.others);
    this.socket.close();
  }

  private respond({ id, name, type, section }: Question): Buffer {
    this.asked += 1;
    const targets = type === SRV ? (this.records.get(name) ?? []) : [];
    const code = targets.length === 0 ? NO_SUCH_NAME : 0;
    const header = numbers(id, RESPONSE | code, 1, targets.length, 0, 0);
    return Buffer.concat([header, section, ...targets.map(answerWith)]);
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

/** Of 16 bits each. */
const numbers = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));
