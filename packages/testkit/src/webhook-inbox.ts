import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it was sent. */
  body: string;
  payload: Record<string, unknown>;
}

type Answer = (response: ServerResponse, webhook: ReceivedWebhook) => void;

/** A webhook receiver that keeps every webhook as it was sent, by path, and answers with a given status. */
export interface WebhookInbox {
  urlOf(path: string): string;
  received(path: string): ReceivedWebhook[];
  /** Waits for a number of webhooks of one call at this path. */
  waitFor(path: string, callId: string, count: number): Promise<ReceivedWebhook[]>;
  /** Sets the status of further answers; 200 at first. */
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

/** Throws when the library of Standard Webhooks says that the webhook was not signed with this secret. */
export function verifyWebhook({ headers, body }: ReceivedWebhook, secret: string | null): void {
  new Webhook(secret ?? '').verify(body, headers as Record<string, string>);
}
