import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { readSession, withAddress } from './session-description';

interface Address {
  host: string;
  port: number;
}

/** The network between a browser and a stack: its connections can be cut, and its audio can lose its way. */
export interface TestNetwork {
  url: string;
  /** The gateway that new connections go to. */
  leadTo(gatewayUrl: string): void;
  /** Breaks the connections of all web phones; new ones are possible. */
  cutWebSockets(): void;
  /** As when a laptop moves to another network: the ways of the audio so far are gone, new ones are possible. */
  changeNetwork(): void;
  close(): void;
}

const LOOPBACK = '127.0.0.1';

export async function openNetwork(gatewayUrl: string): Promise<TestNetwork> {
  let gateway = new URL(gatewayUrl);
  const webSockets = new Set<WebSocket>();
  const ways = new Map<string, { fragments: Set<string>; way: AudioWay }>();
  const allWays = new Set<AudioWay>();

  const server = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    const { method, url: path, headers } = asked;
    const passed = request({ host: gateway.hostname, port: gateway.port, method, path, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });

  /** An offer with new credentials of ICE gets a way of its own; its answer, and repetitions, the same one. */
  async function detour(message: string, from: 'phone' | 'switch'): Promise<string> {
    const session = readSession(message);
    if (session?.address === undefined) return message;
    const { callId, fragment, isRequest, address } = session;
    let known = ways.get(callId);
    if (known === undefined || (isRequest && !known.fragments.has(fragment))) {
      known = { fragments: new Set(), way: await AudioWay.open() };
      ways.set(callId, known);
      allWays.add(known.way);
    }
    known.fragments.add(fragment);
    return withAddress(message, known.way.expect(from, address));
  }

  const handshakes = new WebSocketServer({ noServer: true, handleProtocols: () => 'sip' });
  server.on('upgrade', (asked: IncomingMessage, socket: Socket, head: Buffer) => {
    const { 'x-forwarded-for': forwarded = '' } = asked.headers;
    const target = new WebSocket(`ws://${gateway.host}${asked.url ?? ''}`, 'sip', {
      headers: { 'x-forwarded-for': forwarded },
    });
    target.on('error', () => socket.destroy());
    target.on('open', () =>
      handshakes.handleUpgrade(asked, socket, head, (client) => {
        webSockets.add(client);
        pass(client, target, 'phone');
        pass(target, client, 'switch');
        client.on('close', () => webSockets.delete(client));
      }),
    );
  });

  function pass(from: WebSocket, to: WebSocket, sender: 'phone' | 'switch'): void {
    let turn = Promise.resolve();
    from.on('message', (data: Buffer) => {
      turn = turn.then(async () => to.send(await detour(data.toString(), sender))).catch(() => to.terminate());
    });
    from.on('error', () => from.terminate());
    from.on('close', () => to.terminate());
  }

  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => (gateway = new URL(url)),
    cutWebSockets: () => webSockets.forEach((each) => each.terminate()),
    changeNetwork: () => allWays.forEach((way) => way.close()),
    close() {
      webSockets.forEach((each) => each.terminate());
      allWays.forEach((way) => way.close());
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Carries the audio of one call between the browser and the switch; each of them sees the other at an address of this way. */
class AudioWay {
  private readonly peers: Partial<Record<'phone' | 'switch', Address>> = {};
  private isOpen = true;

  private constructor(
    /** Who sends to a socket is its owner; what arrives goes out by the other one. */
    private readonly sockets: Record<'phone' | 'switch', UdpSocket>,
  ) {
    this.carry('phone', 'switch');
    this.carry('switch', 'phone');
  }

  static async open(): Promise<AudioWay> {
    const [phone, ofSwitch] = await Promise.all([bound(), bound()]);
    return new AudioWay({ phone, switch: ofSwitch });
  }

  /** Notes where a party expects audio; returns where the other one has to send it. */
  expect(party: 'phone' | 'switch', address: Address): Address {
    this.peers[party] ??= address;
    const facing = this.sockets[party === 'phone' ? 'switch' : 'phone'];
    return { host: LOOPBACK, port: facing.address().port };
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.sockets.phone.close();
    this.sockets.switch.close();
  }

  private carry(from: 'phone' | 'switch', to: 'phone' | 'switch'): void {
    this.sockets[from].on('message', (packet, { address: host, port }) => {
      this.peers[from] = { host, port };
      const peer = this.peers[to];
      if (this.isOpen && peer !== undefined) this.sockets[to].send(packet, peer.port, peer.host);
    });
  }
}

async function bound(): Promise<UdpSocket> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.bind(0, LOOPBACK, resolve));
  return socket;
}
