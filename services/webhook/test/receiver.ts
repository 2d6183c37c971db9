import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  payload: Record<string, unknown>;
  at: number;
  /** The port of the sender, which tells its connections apart. */
  port: number | undefined;
}

export type Answer = (request: Received, response: ServerResponse, socket: Socket) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** How it answers from now on; 200 at first. */
  answer: Answer;
  close(): Promise<void>;
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

/** An HTTP server that receives webhooks, on a port of this machine. */
export async function openReceiver(answer: Answer = answerWith(200)): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const receiver: Receiver = { url: '', received: [], answer, close };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { url: path = '', headers } = request;
      const payload = JSON.parse(body) as Record<string, unknown>;
      const port = request.socket.remotePort;
      const received: Received = { path, headers, body, payload, at: Date.now(), port };
      receiver.received.push(received);
      receiver.answer(received, response, request.socket);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;

  async function close(): Promise<void> {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  }
  return receiver;
}
