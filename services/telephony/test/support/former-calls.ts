import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';

const formerWords = readFileSync(join(__dirname, '../../migrations/0025_index_call_words.sql'), 'utf8');

/** Makes calls the table that it was before migration 0045. */
async function mergeCurrentCalls(tx: Queryable): Promise<void> {
  await tx.query('UPDATE calls SET is_final = true WHERE NOT is_final');
  await tx.query('ALTER TABLE calls DETACH PARTITION calls_final');
  await tx.query('DROP TABLE calls');
  await tx.query('ALTER TABLE calls_final RENAME TO calls');
  await tx.query('ALTER TABLE calls DROP COLUMN is_final');
}

/** Makes calls and recordings the tables that they were before migration 0031, as if neither it nor later ones had been run. */
export async function undoPartitions(sql: Database): Promise<void> {
  await sql.transaction(async (tx) => {
    await mergeCurrentCalls(tx);
    for (const table of ['calls', 'recordings']) {
      await tx.query(`ALTER TABLE ${table} DETACH PARTITION ${table}_before`);
      await tx.query(`DROP TABLE ${table}`);
      await tx.query(`ALTER TABLE ${table}_before RENAME TO ${table}`);
      const indexes = await tx.query<{ name: string }>(
        'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = $1::regclass',
        [table],
      );
      for (const { name } of indexes) await tx.query(`ALTER INDEX ${name} RENAME TO ${name.replace('_before', '')}`);
    }
    await tx.query('DROP INDEX calls_dial_id');
    await tx.query('CREATE UNIQUE INDEX calls_dial_id_key ON calls (dial_id) WHERE dial_id IS NOT NULL');
    await tx.query('DROP INDEX calls_calls_account_words');
    await tx.query(formerWords.replace('CONCURRENTLY', ''));
    await tx.query('ALTER TABLE account_limits DROP COLUMN recording_retention_days');
    await tx.query('DROP INDEX recordings_of_account');
    await tx.query('CREATE INDEX recordings_kept ON recordings (recorded_at)');
    await tx.query(`DELETE FROM schema_migrations WHERE "set" = 'telephony' AND name >= '0031'`);
  });
}

/** What the script of former releases did, which operators ran by hand; at first with a partition for what fits in no other. */
export async function partitionByHand(sql: Database, { until, withRest }: { until: string; withRest: boolean }) {
  await sql.query(`
    CREATE FUNCTION first_call_id(month date) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT NULL::uuid $$;
    DO $$
    DECLARE
      definition text;
    BEGIN
      DROP INDEX calls_dial_id_key;
      ALTER TABLE calls RENAME TO calls_until_partitions;
      CREATE TABLE calls (LIKE calls_until_partitions INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (id);
      ALTER TABLE calls ATTACH PARTITION calls_until_partitions FOR VALUES FROM (MINVALUE) TO ('${until}');
      ALTER TABLE calls ADD PRIMARY KEY (id);
      CREATE INDEX ON calls (dial_id) WHERE dial_id IS NOT NULL;
      FOR definition IN
        SELECT pg_get_indexdef(indexrelid) FROM pg_index
        WHERE indrelid = 'calls_until_partitions'::regclass AND NOT indisprimary
      LOOP
        CONTINUE WHEN definition LIKE '%(dial_id)%';
        EXECUTE regexp_replace(definition, '^CREATE INDEX \\S+ ON \\S+', 'CREATE INDEX ON calls');
      END LOOP;
      ${withRest ? 'CREATE TABLE calls_default PARTITION OF calls DEFAULT;' : ''}
    END $$;`);
}
