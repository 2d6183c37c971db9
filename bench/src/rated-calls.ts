import { setTimeout as delay } from 'node:timers/promises';
import { billingEvents } from '@sabia/protos/events/billing';
import type { NatsConnection } from 'nats';

/** Counts from now on; the function that it returns waits until so many calls are rated, and their prices on their records. */
export async function countRated(connection: NatsConnection): Promise<(count: number) => Promise<void>> {
  const manager = await connection.jetstreamManager();
  const subject = `sabia.${billingEvents.callRated.type}`;
  /** Subjects may also name the shard of the account. */
  const countOf = async (subjects: string): Promise<number> => {
    const { state } = await manager.streams.info('SABIA', { subjects_filter: subjects });
    return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  };
  const rated = async (): Promise<number> => (await countOf(subject)) + (await countOf(`${subject}.*`));
  const pricesWritten = async (): Promise<boolean> => {
    const { num_pending, num_ack_pending } = await manager.consumers.info('SABIA', 'telephony-call-rated');
    return num_pending + num_ack_pending === 0;
  };
  const before = await rated();
  return async (count) => {
    const giveUpAt = performance.now() + 120_000;
    while ((await rated()) < before + count || !(await pricesWritten())) {
      if (performance.now() > giveUpAt) throw new Error('waited two minutes in vain for the prices of calls');
      await delay(10);
    }
  };
}
