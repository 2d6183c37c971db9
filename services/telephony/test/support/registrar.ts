import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { answerTo, headerOf, parseSip } from '@sabia/testkit/softphone/sip-message';

/** A carrier with which switches register: it accepts all of them, and keeps who is there. */
export class Registrar {
  private readonly contacts = new Set<string>();

  private constructor(private readonly socket: Socket) {
    socket.on('message', (bytes, { port, address }) => {
      const request = parseSip(bytes.toString('utf8'));
      if (request?.method !== 'REGISTER') return;
      const contact = headerOf(request, 'contact');
      const host = /@([^;>]+)/.exec(contact)?.[1] ?? '';
      const expires = /;expires=(\d+)/.exec(contact)?.[1] ?? headerOf(request, 'expires');
      if (expires === '0') this.contacts.delete(host);
      else this.contacts.add(host);
      const accepted = answerTo(request, { status: 200, reason: 'OK', tag: 'registrar' });
      socket.send(accepted.replace('Content-Length', 'Expires: 300\r\nContent-Length'), port, address);
    });
  }

  static async start(): Promise<Registrar> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new Registrar(socket);
  }

  get server(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** host:port of each switch that is registered. */
  get registered(): string[] {
    return [...this.contacts];
  }

  /** The registration of a switch that died expires some time. */
  expire(host: string): void {
    this.contacts.delete(host);
  }

  stop(): void {
    this.socket.close();
  }
}
