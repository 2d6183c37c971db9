import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'nats';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { Pool } from 'pg';
import type { BenchStack } from './stack';

export interface RatedCalls {
  /** From now on; the function that it returns waits until so many calls have their prices on their records. */
  count(): (calls: number) => Promise<void>;
  close(): Promise<void>;
}

const pauseMs = 10;
/** To count costs the stack more than to ask NATS. */
const longerPauseMs = 50;
const durables = ['billing-call-ended', 'telephony-call-rated'];

/** The records are counted when no event is under way: to count them all the time would be work of its own. */
export async function openRatedCalls({ natsUrl, postgresUrl }: BenchStack): Promise<RatedCalls> {
  const connection = await connect({ servers: natsUrl });
  const manager = await connection.jetstreamManager();
  const database = new Pool({ connectionString: postgresUrl, max: 1 });
  const isUnderWay = async (): Promise<boolean> => {
    const infos = await Promise.all(durables.map((durable) => manager.consumers.info('SABIA', durable)));
    return infos.some(({ num_pending, num_ack_pending }) => num_pending + num_ack_pending > 0);
  };
  const pricedSince = async (since: string): Promise<number> => {
    const text = 'SELECT count(*) AS count FROM telephony.calls WHERE id > $1::uuid AND call_price IS NOT NULL';
    const { rows } = await database.query<{ count: string }>(text, [since]);
    return Number(rows[0]!.count);
  };
  return {
    count() {
      const since = `${newEventId().slice(0, 15)}000-8000-000000000000`;
      return async (calls) => {
        const giveUpAt = performance.now() + 120_000;
        for (;;) {
          if (performance.now() > giveUpAt) throw new Error('waited two minutes in vain for the prices of calls');
          const wait = (await isUnderWay()) ? pauseMs : longerPauseMs;
          if (wait === longerPauseMs && (await pricedSince(since)) >= calls) return;
          await delay(wait);
        }
      };
    },
    async close() {
      await connection.close();
      await database.end();
    },
  };
}
