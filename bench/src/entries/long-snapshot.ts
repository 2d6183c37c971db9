import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { Pool } from 'pg';
import { readEnvelopes } from '@sabia/service-kit/events/envelope';
import { percentile } from '../load';
import type { BenchStack, OpenStack } from '../stack';
import type { TrialEntry } from '../trial';

const type = 'identity.bench.happened';
const perSecond = 300;
const tickMs = 10;
const heldMinutes = 10;
const measuredMs = 30_000;
/** The first seconds of a stack are spent compiling it. */
const warmUpMs = 10_000;
const atMost = 1.1;

/** What a snapshot that is held open, such as that of pg_dump, costs events on their way from the outbox to NATS. */
export function longSnapshot(openStack: OpenStack): TrialEntry[] {
  return [
    {
      name: `events under a snapshot held for ${heldMinutes} minutes`,
      run: async (say) => hold(await openStack(), say),
    },
  ];
}

async function hold(stack: BenchStack, say: (line: string) => void) {
  const nats = await connect({ servers: stack.natsUrl });
  const pool = new Pool({ connectionString: stack.postgresUrl, max: 2 });
  const reader = await pool.connect();
  const load = writeEvents(pool, nats);
  try {
    await load.delays(warmUpMs);
    const alone = await load.delays(measuredMs);
    say(`without a snapshot: ${show(alone)}`);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM identity.accounts LIMIT 1');
    for (let minute = 1; minute < heldMinutes; minute += 1) {
      say(`held for ${minute} minutes: ${show(await load.delays(60_000))}`);
    }
    await load.delays(60_000 - measuredMs);
    const held = await load.delays(measuredMs);
    await reader.query('COMMIT');
    return {
      floor: show(alone),
      measured: `${show(held)} after ${heldMinutes} minutes, ${perSecond} events a second`,
      target: `at most ${atMost} of the mean without a snapshot`,
      kept: held.mean <= alone.mean * atMost,
    };
  } finally {
    await load.stop();
    reader.release(true);
    await pool.end();
    await nats.close();
  }
}

interface Delays {
  mean: number;
  p99: number;
}

const show = ({ mean, p99 }: Delays): string => `mean ${mean.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms`;

/** Events at an even pace, written as services write them; the time runs from before the INSERT to the arrival on NATS. */
function writeEvents(pool: Pool, nats: NatsConnection) {
  let ages: number[] = [];
  let stopped = false;
  const subscription = nats.subscribe(`sabia.${type}`, {
    callback: (_error, { data }) => {
      ages.push(...readEnvelopes(data).map(({ payload }) => Date.now() - Number(payload.toString())));
    },
  });
  const writing = (async () => {
    const startedAt = performance.now();
    for (let written = 0; !stopped; await delay(tickMs)) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
      const count = due - written;
      written = due;
      await pool.query(
        `INSERT INTO identity.outbox (id, type, version, account_id, occurred_at, traceparent, tracestate, payload)
         SELECT id, $2, 1, 1, now(), '', '', $3 FROM unnest($1::uuid[]) AS id`,
        [Array.from({ length: count }, () => randomUUID()), type, Buffer.from(String(Date.now()))],
      );
      nats.publish('sabia-poke.identity');
    }
  })();
  return {
    async delays(durationMs: number): Promise<Delays> {
      ages = [];
      await delay(durationMs);
      const sorted = ages.sort((a, b) => a - b);
      if (sorted.length < (perSecond * durationMs) / 2000) throw new Error('events do not arrive');
      return { mean: sorted.reduce((sum, age) => sum + age, 0) / sorted.length, p99: percentile(sorted, 0.99) };
    },
    async stop() {
      stopped = true;
      await writing;
      subscription.unsubscribe();
    },
  };
}
