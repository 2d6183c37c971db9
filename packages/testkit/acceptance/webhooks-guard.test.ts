import { randomUUID } from 'node:crypto';
import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { startOwnStack, type OwnStack } from '../src/own-stack';
import { createAdmin } from '../src/people';
import type { StackClient } from '../src/stack-client';
import { integrate, listDeliveries } from '../src/webhook-integrations';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';

/** As in production; a stack on one machine otherwise allows webhooks to that machine. */
describe('webhooks to private addresses, where they are not allowed', () => {
  let stack: OwnStack;
  let inbox: WebhookInbox;
  let client: StackClient;

  beforeAll(async () => {
    stack = await startOwnStack({ privateWebhooks: false });
    inbox = await openWebhookInbox();
    client = (await createAdmin(stack)).api();
  }, 180_000);

  afterAll(async () => {
    await inbox?.close();
    await stack?.end();
  }, 60_000);

  const ask = (url: string) =>
    client.patch<{ error: { details?: { codes: Record<string, string[]>; messages: Record<string, string[]> } } }>(
      '/integrations',
      { gateway: `guard-${randomUUID()}`, webhook: true, metadata: { webhookUrl: url } },
    );

  test.each([
    'http://127.0.0.1:8080/hook',
    'http://localhost/hook',
    'https://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://2130706433/',
    'http://0x7f.1/',
  ])('%s is refused when it is configured', async (url) => {
    const { status, body } = await ask(url);
    expect({ status, codes: body.error.details?.codes }).toEqual({
      status: 422,
      codes: { 'metadata.webhookUrl': ['exclusion'] },
    });
  });

  test('a public host is taken, and cannot be exchanged for a private one', async () => {
    const { id } = await integrate(client, { gateway: 'crm', url: 'https://hooks.example.com/' });
    const { status } = await client.patch('/integrations', { id, metadata: { webhookUrl: inbox.urlOf('/hook') } });
    expect(status).toBe(422);
  });

  test('one that was configured before the guard was on is not sent to, and the deliveries say why', async () => {
    const { id } = await integrate(client, { gateway: 'older', url: 'https://hooks.example.com/' });
    await queryDatabase(
      stack.postgresUrl,
      `UPDATE webhook.integrations SET settings = jsonb_set(settings, '{url}', to_jsonb($2::text)) WHERE id = $1`,
      [id, inbox.urlOf('/hook')],
    );
    expect((await client.post(`/integrations/${id}/test`)).status).toBe(200);
    const sent = await eventually(async () => {
      const list = await listDeliveries(client, id, {});
      return list.length > 0 && list.every(({ attempts }) => attempts.length > 0) && list;
    });
    for (const { status, reason } of sent) {
      expect({ status, reason }).toEqual({ status: 'dead', reason: expect.stringContaining('127.0.0.1') as string });
    }
    expect(inbox.received('/hook')).toHaveLength(0);
  });
});
