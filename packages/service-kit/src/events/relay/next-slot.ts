import type { Client } from 'pg';

const lockNotAvailable = '55P03';

/**
 * Empties the slot of the outbox that is used next, if everything in it is published and older than four hours. The lock is not
 * waited for: who reads the slot, such as pg_dump, would hold up the relay and every writer behind it. The next try is soon enough.
 */
export async function emptyNextSlot(client: Client): Promise<void> {
  const { rows } = await client.query<{ slot: number }>(
    'SELECT ((floor(extract(epoch FROM now()) / 7200)::bigint + 1) % 4)::integer AS slot',
  );
  const slot = rows[0]!.slot;
  await client.query('BEGIN');
  try {
    if (await isOld(client, slot)) {
      await client.query(`LOCK TABLE outbox_${slot} IN ACCESS EXCLUSIVE MODE NOWAIT`);
      // Looked at once more, because an event may have been written before the lock was there.
      const { rows: waiting } = await client.query('SELECT FROM outbox_waiting WHERE slot = $1 LIMIT 1', [slot]);
      if (waiting.length === 0 && (await isOld(client, slot))) {
        await client.query(`TRUNCATE outbox_${slot}`);
      }
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    if ((error as { code?: string }).code !== lockNotAvailable) throw error;
  }
}

/** True if the slot has events, all of them old. */
async function isOld(client: Client, slot: number): Promise<boolean> {
  const { rows } = await client.query<{ old: boolean }>(
    `SELECT occurred_at < now() - interval '4 hours' AS old FROM outbox_${slot} ORDER BY position DESC LIMIT 1`,
  );
  return rows[0]?.old === true;
}
