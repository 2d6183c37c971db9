import { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { Transaction } from '@sabia/service-kit/postgres/database';

export interface KnownCall {
  accountId: number;
  stage: 'ended' | 'recorded';
  call: CallSnapshot;
}

const stageNumbers = { ended: 1, recorded: 2 } as const;

/** Events may overtake each other: a row of an earlier stage never replaces one of a later stage. */
export async function rememberCalls(tx: Transaction, calls: KnownCall[], now: Date): Promise<void> {
  // Only the later one of a call is kept: a statement cannot change a row twice.
  const latest = new Map<string, KnownCall>();
  for (const known of calls) {
    const before = latest.get(known.call.callId);
    if (before === undefined || stageNumbers[known.stage] >= stageNumbers[before.stage]) {
      latest.set(known.call.callId, known);
    }
  }
  const rows = [...latest.values()];
  if (rows.length === 0) {
    return;
  }
  await tx.query(
    `INSERT INTO calls AS c (call_id, account_id, stage, snapshot, updated_at)
     SELECT call_id, account_id, stage, snapshot, $5
     FROM unnest($1::text[], $2::bigint[], $3::smallint[], $4::bytea[]) AS n (call_id, account_id, stage, snapshot)
     ON CONFLICT (call_id) DO UPDATE
       SET stage = excluded.stage, snapshot = excluded.snapshot, updated_at = excluded.updated_at
       WHERE c.stage <= excluded.stage AND c.account_id = excluded.account_id`,
    [
      rows.map(({ call }) => call.callId),
      rows.map(({ accountId }) => accountId),
      rows.map(({ stage }) => stageNumbers[stage]),
      rows.map(({ call }) => Buffer.from(CallSnapshot.encode(call).finish())),
      now,
    ],
    { name: 'remember-calls' },
  );
}

export async function recallCalls(tx: Transaction, callIds: string[]): Promise<Map<string, CallSnapshot>> {
  if (callIds.length === 0) {
    return new Map();
  }
  const rows = await tx.query<{ snapshot: Buffer }>(
    'SELECT snapshot FROM calls WHERE call_id = ANY ($1::text[])',
    [callIds],
    { name: 'recall-calls' },
  );
  const calls = rows.map(({ snapshot }) => CallSnapshot.decode(snapshot));
  return new Map(calls.map((call) => [call.callId, call]));
}
