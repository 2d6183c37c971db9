import { randomUUID } from 'node:crypto';
import { webhookBody } from './webhook-body';
import type { WebhookType } from './webhook-body';

/** The webhook of a made-up call of one minute. */
export function sampleBody(type: WebhookType, { domain, timeZone }: { domain: string; timeZone: string }): string {
  const before = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
  const call = {
    id: randomUUID(),
    domain,
    call_type: 'outbound' as const,
    from: '1000',
    to: '5511987654321',
    started_at: before(75),
    answered_at: before(60),
    ended_at: before(0),
    duration: 60,
    hangup_cause: 'NORMAL_CLEARING' as const,
    record_url: 'https://example.com/sample.wav',
    metadata: { test: true },
  };
  const price = type === 'call-priced' ? { minutePrice: 0.12, callPrice: 0.12, billedSeconds: 60 } : undefined;
  return webhookBody(type, { id: randomUUID(), at: before(0), price }, call, timeZone);
}
