import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import { eventTypes } from './event-type';
import type { EventType } from './event-type';
import { writePayload } from './payload';
import { retryWaitsMs } from './retry-schedule';

/** Checks docs/guides/en/webhooks.md against the code. */
const page = readFileSync(path.resolve(__dirname, '../../../../docs/guides/en/webhooks.md'), 'utf8');

/** The text between a heading and the next one. */
function sectionOf(heading: string): string {
  const start = page.indexOf(`\n${heading}\n`);
  if (start < 0) {
    throw new Error(`docs/guides/en/webhooks.md has no "${heading}"`);
  }
  return page.slice(start + heading.length + 2).split(/\n#{2,3} /)[0]!;
}

const example = (type: EventType): string => /```json\n([^]*?)```/.exec(sectionOf(`### ${type}`))?.[1] ?? '';

/** The call of the page. */
const call = CallSnapshot.fromPartial({
  callId: '019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05',
  domain: 'acme.sabia.localhost',
  callType: 'outbound',
  from: '1000',
  to: '5511987654321',
  startedAt: new Date('2026-03-10T17:59:48.120Z'),
  answeredAt: new Date('2026-03-10T18:00:03.640Z'),
  endedAt: new Date('2026-03-10T18:01:08.910Z'),
  durationSeconds: 65,
  hangupCause: 'NORMAL_CLEARING',
  hangupCauseCode: '16',
  metadata: '{"leadId":4711,"campaign":"march"}',
  timeZone: 'America/Sao_Paulo',
});
const recordUrl = `https://api.example.com/api/v1/recordings/${call.callId}.wav?signature=6Zk…`;

const happened: Record<EventType, { id: string; at: string; recordUrl?: string }> = {
  'channel-create': { id: '019ec2d4-5a18-7000-8000-000000000001', at: '2026-03-10T17:59:48.120Z' },
  'channel-answer': { id: '019ec2d4-96c8-7000-8000-000000000002', at: '2026-03-10T18:00:03.640Z' },
  'channel-hangup': { id: '019ec2d5-95be-7000-8000-000000000003', at: '2026-03-10T18:01:08.910Z', recordUrl },
  'call-recorded': { id: '019ec2d5-9a2c-7000-8000-000000000004', at: '2026-03-10T18:01:10.044Z', recordUrl },
  'call-priced': { id: '019ec2d5-9c01-7000-8000-000000000005', at: '2026-03-10T18:01:10.513Z', recordUrl },
};

test.each(eventTypes)('the example of %s is what is sent, to the order of its fields', (type) => {
  const { id, at, recordUrl: url } = happened[type];
  const price = type === 'call-priced' ? { minutePrice: 1_200, callPrice: 1_320, billedSeconds: 66 } : undefined;
  const event = { id, type, occurredAt: new Date(at), call: { ...call, recordUrl: url }, price };
  const written = JSON.parse(writePayload(event, { version: '1.8' })) as unknown;
  expect(example(type)).toBe(`${JSON.stringify(written, undefined, 2)}\n`);
});

test('the page names every type and no other', () => {
  const headings = [...page.matchAll(/^### c[a-z]+-[a-z]+$/gm)].map(([heading]) => heading.slice(4));
  expect(headings).toEqual(eventTypes);
});

test('the table of retries is the schedule', () => {
  const units: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 };
  const rows = [...sectionOf('## Retries').matchAll(/^\| +(\d+) +\| (\d+) (s|min|h) +\|/gm)];
  expect(rows.map(([, attempt]) => Number(attempt))).toEqual(retryWaitsMs.map((_, index) => index + 2));
  expect(rows.map(([, , count, unit]) => Number(count) * units[unit!]!)).toEqual(retryWaitsMs);
});
