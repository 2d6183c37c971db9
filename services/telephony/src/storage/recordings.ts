import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import { callColumns, findCalls } from './calls';

export interface Recording {
  callId: string;
  contentType: string;
  size: number;
}

export interface StoredRecording extends Recording {
  at: Date;
  url: string;
  /** How much of the call the audio lacks. */
  missingSeconds: number;
  /** When to tell the switch again to delete its copy. */
  dropAt: Date;
}

/** Notes that the recording has begun, or that it could not. */
export async function noteBegun(queryable: Queryable, callId: string, begun: boolean): Promise<void> {
  await queryable.query(
    'UPDATE recordings SET awaits_start = NOT $2 WHERE call_id = $1::uuid AND awaits_start = $2 AND recorded_at IS NULL',
    [callId, begun],
    { name: 'note-begun' },
  );
}

const isThereOrComing =
  '(recorded_at IS NOT NULL OR (fetch_at IS NOT NULL AND NOT awaits_start)) AND deleted_at IS NULL';

/** Returns the calls whose audio is in the store or will be. */
export async function listRecorded(queryable: Queryable, callIds: string[]): Promise<Set<string>> {
  const rows = await queryable.query<{ call_id: string }>(
    `SELECT call_id FROM recordings WHERE call_id = ANY ($1::uuid[]) AND ${isThereOrComing}`,
    [callIds],
  );
  return new Set(rows.map(({ call_id }) => call_id));
}

export async function fetchRecordingAt(queryable: Queryable, callId: string, at: Date): Promise<void> {
  await queryable.query(
    'UPDATE recordings SET fetch_at = $2 WHERE call_id = $1::uuid AND recorded_at IS NULL AND deleted_at IS NULL',
    [callId, at],
    { name: 'fetch-recording-at' },
  );
}

/** Takes ended calls whose audio is due; until it is stored, each is due again after a growing pause. */
export async function takeUnfetched(
  queryable: Queryable,
  request: {
    switchName: string;
    now: Date;
    retry: { firstSeconds: number; longestSeconds: number };
    limit: number;
  },
): Promise<(Call & { tries: number })[]> {
  const due = await queryable.query<{ id: string; tries: number }>(
    `UPDATE recordings SET tries = least(tries + 1, 1000),
       fetch_at = $2::timestamptz + interval '1 second' * least($3 * 2 ^ least(tries, 20), $5)
     WHERE call_id = ANY (ARRAY(
       SELECT call_id FROM recordings
       WHERE switch = $1 AND fetch_at <= $2 AND NOT EXISTS (SELECT FROM live_calls WHERE live_calls.call_id = recordings.call_id)
       ORDER BY fetch_at LIMIT $4 FOR UPDATE OF recordings SKIP LOCKED
     ))
     RETURNING call_id AS id, tries`,
    [request.switchName, request.now, request.retry.firstSeconds, request.limit, request.retry.longestSeconds],
    { name: 'take-unfetched' },
  );
  const tries = new Map(due.map((recording) => [recording.id, recording.tries]));
  const calls = await findCalls(queryable, [...tries.keys()]);
  return calls.map((call) => ({ ...call, tries: tries.get(call.id)! }));
}

export async function giveUpRecording(queryable: Queryable, callId: string): Promise<void> {
  await queryable.query('UPDATE recordings SET fetch_at = NULL WHERE call_id = $1::uuid', [callId]);
}

/** Undefined: the recording was stored before. */
export async function markRecorded(queryable: Queryable, recording: StoredRecording): Promise<Call | undefined> {
  const months = monthsOf([recording.callId]);
  const [call] = await queryable.query<Call>(
    `WITH stored AS (
       UPDATE recordings SET recorded_at = $2, content_type = $3, size = $4, fetch_at = NULL,
         missing_seconds = nullif($6, 0), drop_at = $7
       WHERE call_id = $1::uuid AND recorded_at IS NULL RETURNING call_id
     )
     UPDATE calls SET record_url = $5 FROM stored WHERE calls.id = stored.call_id AND calls.id = $1::uuid AND ${months.hold('calls.id')}
     RETURNING ${callColumns}`,
    [
      ...[recording.callId, recording.at, recording.contentType, recording.size, recording.url],
      ...[recording.missingSeconds, recording.dropAt],
    ],
    { name: months.nameOf('mark-recorded') },
  );
  return call;
}

/** Notes that the switch has deleted its copy. */
export async function markDropped(queryable: Queryable, callId: string): Promise<void> {
  await queryable.query('UPDATE recordings SET drop_at = NULL WHERE call_id = $1::uuid', [callId], {
    name: 'mark-dropped',
  });
}

/** Takes stored recordings of which the switch may still have a copy; each is due again at `nextAt` until it is deleted there. */
export async function takeUndropped(
  queryable: Queryable,
  { switchName, now, nextAt, limit }: { switchName: string; now: Date; nextAt: Date; limit: number },
): Promise<string[]> {
  const rows = await queryable.query<{ call_id: string }>(
    `UPDATE recordings SET drop_at = $3
     WHERE call_id = ANY (ARRAY(
       SELECT call_id FROM recordings WHERE switch = $1 AND drop_at <= $2 ORDER BY drop_at LIMIT $4 FOR UPDATE SKIP LOCKED
     ))
     RETURNING call_id`,
    [switchName, now, nextAt, limit],
    { name: 'take-undropped' },
  );
  return rows.map(({ call_id }) => call_id);
}

export interface FoundRecording extends Recording {
  accountId: number;
  /** False: the call has ended, but its audio is not in the store yet. */
  stored: boolean;
}

/** Finds a recording by the id of its call. */
export async function findRecording(queryable: Queryable, callId: string): Promise<FoundRecording | undefined> {
  const [recording] = await queryable.query<FoundRecording>(
    `SELECT call_id AS "callId", account_id AS "accountId", content_type AS "contentType", size,
       recorded_at IS NOT NULL AS stored
     FROM recordings
     WHERE call_id = $1::uuid AND ${isThereOrComing}`,
    [callId],
    { name: 'find-recording' },
  );
  return recording;
}

/** The size of the MP3 copy; undefined: there is none yet. */
export async function findMp3Size(queryable: Queryable, callId: string): Promise<number | undefined> {
  const [row] = await queryable.query<{ size: number | null }>(
    'SELECT mp3_size AS size FROM recordings WHERE call_id = $1::uuid',
    [callId],
    { name: 'find-mp3-size' },
  );
  return row?.size ?? undefined;
}

/** False: the recording has been deleted in the meantime. */
export async function noteMp3(queryable: Queryable, callId: string, size: number): Promise<boolean> {
  const rows = await queryable.query(
    'UPDATE recordings SET mp3_size = $2 WHERE call_id = $1::uuid AND deleted_at IS NULL RETURNING 1 AS done',
    [callId, size],
    { name: 'note-mp3' },
  );
  return rows.length > 0;
}
