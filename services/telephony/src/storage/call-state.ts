import type { Queryable } from '@sabia/service-kit/postgres/database';

// The state of a call while it lasts is in live_calls; its record in calls has it from the end on. In calls that a replica of the
// former release has driven, the record is ahead.

/** SQL expressions for what is not in the record of a call before it has ended. */
export interface CallState {
  status: string;
  answeredAt: string;
}

/** Of a row of calls joined with `live`, its row of live_calls. */
export const stateIn = (live: string): CallState => ({
  status: `CASE WHEN coalesce(${live}.talking_since, calls.answered_at) IS NOT NULL THEN 'answered'
    WHEN ${live}.is_ringing THEN 'ringing' ELSE calls.status END`,
  answeredAt: `coalesce(${live}.talking_since, calls.answered_at)`,
});

const lookUp = (expression: string): string =>
  `(SELECT ${expression} FROM live_calls AS own WHERE own.call_id = calls.id)`;

/** Of any row of calls; live_calls is looked at only for those that have not ended. */
export const state: CallState = {
  status: `CASE WHEN calls.ended_at IS NULL THEN coalesce(${lookUp(stateIn('own').status)}, calls.status) ELSE calls.status END`,
  answeredAt: `CASE WHEN calls.ended_at IS NULL THEN coalesce(${lookUp('own.talking_since')}, calls.answered_at) ELSE calls.answered_at END`,
};

/** True while a replica of the former release runs. */
export const hasFormerReplica = `EXISTS (SELECT FROM replicas WHERE NOT reads_live_state AND seen_at > clock_timestamp() - interval '30 seconds')`;

/**
 * Replicas of the former release look for the state of live calls in calls: while one of them runs, in an upgrade or on the way back,
 * it is copied there. Costs one look at the replicas otherwise.
 */
export async function copyStateForFormerReplicas(queryable: Queryable): Promise<void> {
  await queryable.query(
    `UPDATE calls_current SET status = CASE WHEN talking_since IS NOT NULL THEN 'answered' ELSE 'ringing' END, answered_at = talking_since
     FROM live_calls
     WHERE id = call_id AND ended_at IS NULL AND answered_at IS NULL
       AND (talking_since IS NOT NULL OR (is_ringing AND status = 'queued'))
       AND ${hasFormerReplica}`,
    [],
    { name: 'copy-state-for-former-replicas' },
  );
}
