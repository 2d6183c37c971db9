import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** To the letter. */
  body: string;
  payload: Record<string, unknown>;
}

type Answer = (response: ServerResponse, webhook: ReceivedWebhook) => void;

/** Somebody's HTTP server that keeps every webhook as it came, by path, and answers as it is told. */
export interface WebhookInbox {
  urlOf(path: string): string;
  received(path: string): ReceivedWebhook[];
  /** The webhooks of one call at this path, once there are so many of them. */
  waitFor(path: string, callId: string, count: number): Promise<ReceivedWebhook[]>;
  /** How it answers from now on; 200 at first. */
  answer(path: string, answer: Answer): void;
  close(): Promise<void>;
}

export async function openWebhookInbox(): Promise<WebhookInbox> {
  const all: ReceivedWebhook[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const { url: path = '', headers } = request;
      const webhook = { path, headers, body, payload: JSON.parse(body) as Record<string, unknown> };
      all.push(webhook);
      (answers.get(path) ?? ((plain: ServerResponse) => plain.end('ok')))(response, webhook);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const received = (path: string) => all.filter((webhook) => webhook.path === path);

  return {
    urlOf: (path) => `http://127.0.0.1:${port}${path}`,
    received,
    waitFor: (path, callId, count) =>
      eventually(() => {
        const found = received(path).filter(({ payload }) => payload.id === callId);
        if (found.length < count) throw new Error(`${found.length} of ${count} webhooks have come to ${path}`);
        return found;
      }),
    answer: (path, answer) => void answers.set(path, answer),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Throws when the webhook was not signed with this secret, as the library of Standard Webhooks sees it. */
export function verifyWebhook({ headers, body }: ReceivedWebhook, secret: string): void {
  new Webhook(secret).verify(body, headers as Record<string, string>);
}
