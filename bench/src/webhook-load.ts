import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import { newEventId, outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import { connect } from 'nats';
import type { JetStreamClient } from 'nats';
import { Pool } from 'pg';
import { request } from 'undici';
import type { Sample } from './load';
import { percentile } from './load';
import type { Receiver } from './receiver';
import type { BenchStack } from './stack';
import { publishThroughOutbox } from './telephony-outbox';
import { hasRelation } from './with-database';

export interface Hook {
  id: number;
  accountId: number;
  /** Only events of calls that carry it go there. */
  team: string;
}

export interface WebhookLoad {
  /** An integration that sends there what is meant for it and nothing else; of the account whose token it is. */
  hook(url: string, token?: string): Promise<Hook>;
  publish(hook: Hook, count: number): Promise<void>;
  /** So many events wait on NATS when the clock starts; it stops when every result is in the table. */
  drain(hook: Hook, count: number, onStart?: () => void): Promise<Sample>;
  /** Events at an even pace; the latencies are those from the event to its receiver. */
  pace(hook: Hook, perSecond: number, durationMs: number): Promise<PacedSample>;
  /** A bad receiver's events, and what is left of them, go away. */
  forget(hook: Hook): Promise<void>;
  close(): Promise<void>;
}

export interface PacedSample extends Sample {
  /** Of the latencies, which are whole milliseconds each. */
  mean: number;
}

const { callAnswered } = telephonyEvents;
const subject = `sabia.${callAnswered.type}`;
const tickMs = 10;

/** Events as telephony publishes them; what is measured begins on NATS. */
export async function openWebhookLoad(stack: BenchStack, receiver: Receiver): Promise<WebhookLoad> {
  const connection = await connect({ servers: stack.natsUrl });
  const jetStream = connection.jetstream();
  const hooks: number[] = [];
  const database = new Pool({ connectionString: stack.postgresUrl, max: 2 });
  // At ed6199a, to which the goals refer, there is one table for all deliveries.
  const open = (await hasRelation(database, 'webhook.delivery_queue'))
    ? 'webhook.delivery_queue WHERE true'
    : 'webhook.deliveries WHERE finished_at IS NULL';

  async function waitUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
    const giveUpAt = Date.now() + 120_000;
    while (!(await condition())) {
      if (Date.now() > giveUpAt) throw new Error(`waited two minutes in vain: ${what}`);
      await delay(tickMs);
    }
  }

  async function received(count: number): Promise<void> {
    await waitUntil(async () => (await receiver.count()) >= count, `${count} webhooks`);
  }

  async function recorded({ id }: Hook): Promise<void> {
    await waitUntil(async () => {
      const { rows } = await database.query<{ open: boolean }>(
        `SELECT EXISTS (SELECT FROM ${open} AND integration_id = $1) AS open`,
        [id],
      );
      return rows[0]?.open === false;
    }, 'results of all deliveries');
  }

  const publish = (hook: Hook, count: number): Promise<void> =>
    publishThroughOutbox(
      database,
      Array.from({ length: count }, () => answered(hook)),
    );

  return {
    publish,
    async hook(url, token = stack.token) {
      const team = randomBytes(4).toString('hex');
      const answer = await request(`${stack.gatewayUrl}/api/v1/integrations`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', authorization: token },
        body: JSON.stringify({
          gateway: `bench-${team}`,
          webhook: true,
          webhookConstraint: { team },
          metadata: { webhookUrl: url, webhookTypes: ['channel-answer'] },
        }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`PATCH /integrations: ${answer.statusCode} ${text}`);
      const { id } = JSON.parse(text) as { id: number };
      const { rows } = await database.query<{ account_id: string }>(
        'SELECT account_id FROM webhook.integrations WHERE id = $1',
        [id],
      );
      const accountId = Number(rows[0]?.account_id);
      hooks.push(id);
      return { id, accountId, team };
    },
    async drain(hook, count, onStart) {
      const before = await receiver.count();
      stack.signal('webhook', 'SIGSTOP');
      try {
        await publish(hook, count);
      } finally {
        stack.signal('webhook', 'SIGCONT');
      }
      onStart?.();
      const startedAt = performance.now();
      await received(before + count);
      await recorded(hook);
      const elapsedSeconds = (performance.now() - startedAt) / 1000;
      return { count, perSecond: count / elapsedSeconds, p50: Number.NaN, p99: Number.NaN, errors: [] };
    },
    async pace(hook, perSecond, durationMs) {
      const before = await receiver.count();
      const startedAt = performance.now();
      let sent = 0;
      const published: Promise<void>[] = [];
      for (let now = 0; now < durationMs; now = performance.now() - startedAt) {
        for (const due = Math.floor((now / 1000) * perSecond); sent < due; sent += 1) {
          published.push(publishOne(jetStream, hook));
        }
        await delay(2);
      }
      await Promise.all(published);
      const target = before + sent;
      await waitUntil(async () => (await receiver.count()) >= target, `${sent} webhooks`);
      const ages = (await receiver.look()).ages.sort((a, b) => a - b);
      return {
        count: sent,
        perSecond: sent / (durationMs / 1000),
        p50: percentile(ages, 0.5),
        p99: percentile(ages, 0.99),
        mean: ages.reduce((sum, age) => sum + age, 0) / ages.length,
        errors: ages.length === sent ? [] : [`${sent} events, ${ages.length} webhooks`],
      };
    },
    async forget({ id }) {
      await database.query('DELETE FROM webhook.integrations WHERE id = $1', [id]);
    },
    async close() {
      // What is left would be matched against every event of the next entry.
      await database.query('DELETE FROM webhook.integrations WHERE id = ANY ($1::bigint[])', [hooks]);
      await connection.close();
      await database.end();
    },
  };
}

function answered({ accountId, team }: Hook): OutgoingEvent {
  const occurredAt = new Date();
  const call = CallSnapshot.fromPartial({
    callId: newEventId(occurredAt),
    domain: 'bench.sabia.localhost',
    callType: 'outbound',
    from: '1000',
    to: '5511987654321',
    startedAt: occurredAt,
    answeredAt: occurredAt,
    metadata: JSON.stringify({ team, lead: 4711, campaign: 'bench' }),
    userId: 1,
    timeZone: 'America/Sao_Paulo',
  });
  return outgoingEvent(callAnswered, { call }, { accountId, occurredAt });
}

/** At once: telephony would gather what comes within a moment. */
async function publishOne(jetStream: JetStreamClient, hook: Hook): Promise<void> {
  const { type, accountId, occurredAt, payload } = answered(hook);
  const id = newEventId();
  const envelope = Envelope.fromPartial({ id, type, version: 1, accountId, occurredAt, payload: Buffer.from(payload) });
  await jetStream.publish(subject, Envelope.encode(envelope).finish());
}
