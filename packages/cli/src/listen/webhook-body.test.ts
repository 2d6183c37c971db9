import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhookBody, webhookTypes } from './webhook-body';
import type { WebhookType } from './webhook-body';

const guide = readFileSync(join(__dirname, '../../../../docs/guides/en/webhooks.md'), 'utf8');

/** The example of the guide, as it is sent: on one line. */
function documented(type: WebhookType): string {
  const [, text = ''] = new RegExp(`### ${type}\\n[^]*?\`\`\`json\\n([^]*?)\`\`\``).exec(guide) ?? [];
  return JSON.stringify(JSON.parse(text));
}

/** The call of the guide's examples, as the API lists it once it is over. */
const call = {
  id: '019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05',
  domain: 'acme.sabia.localhost',
  call_type: 'outbound' as const,
  from: '1000',
  to: '5511987654321',
  started_at: '2026-03-10T17:59:48.120Z',
  answered_at: '2026-03-10T18:00:03.640Z',
  ended_at: '2026-03-10T18:01:08.910Z',
  duration: 65,
  hangup_cause: 'NORMAL_CLEARING' as const,
  record_url: 'https://api.example.com/api/v1/recordings/019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05.wav?signature=6Zk…',
  metadata: { leadId: 4711, campaign: 'march' },
};

it.each(webhookTypes)('writes %s as the platform does, to the byte', (type) => {
  const wanted = documented(type);
  const { eventId, occurredAt } = JSON.parse(wanted) as { eventId: string; occurredAt: string };
  const price = type === 'call-priced' ? { minutePrice: 0.12, callPrice: 0.132, billedSeconds: 66 } : undefined;
  const event = { id: eventId, at: occurredAt, price };
  expect(webhookBody(type, event, call, 'America/Sao_Paulo')).toBe(wanted);
});
