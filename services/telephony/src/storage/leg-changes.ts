import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { LiveCall, Side, TransferredLeg } from '../domain/live-call';
import { isTermOf } from './lease-fence';
import type { LeaseTerm } from './lease-fence';

// Parties that leave a live call, and extensions that take their legs over. A party whose leg is being taken over may leave: the
// call ends only if nobody takes it over (`left_until` is put off to `called_until`).

/** The call is due when the time is over. Changes nothing if the leg was taken over since the call was read. */
export async function noteDeparture(
  queryable: Queryable,
  call: Pick<LiveCall, 'id' | 'aChannel' | 'attempt'>,
  { side, until }: { side: Side; until: Date },
): Promise<void> {
  const isCaller = side === 'a';
  await queryable.query(
    `UPDATE live_calls SET left_side = $2, due_at = least(due_at, $3),
       left_until = CASE WHEN called_side = $2 THEN greatest($3, called_until) ELSE $3 END
     WHERE call_id = $1::uuid AND ${isCaller ? 'a_channel IS NOT DISTINCT FROM $4' : 'attempt = $4'}`,
    [call.id, side, until, isCaller ? call.aChannel : call.attempt],
    { name: isCaller ? 'note-departure-caller' : 'note-departure-callee' },
  );
}

const hasLeft = (side: string): string => `left_side = ${side} AND left_until IS NOT NULL`;

/**
 * Makes the call due now; a later request takes the place of one that was not carried out yet. `until`: the extension has picked
 * up by then, or does not. False: the call has ended.
 */
export async function requestTransfer(
  queryable: Queryable,
  request: { callId: string; side: Side; to: string; now: Date; until: Date },
): Promise<boolean> {
  const rows = await queryable.query(
    `UPDATE live_calls SET transfer_side = $2, transfer_to = $3, due_at = least(due_at, $4), called_side = $2, called_until = $5,
       left_until = CASE WHEN ${hasLeft('$2')} THEN greatest(left_until, $5) ELSE left_until END
     WHERE call_id = $1::uuid AND requested_at IS NULL RETURNING 1 AS done`,
    [request.callId, request.side, request.to, request.now, request.until],
    { name: 'request-transfer' },
  );
  return rows.length > 0;
}

/** The request was carried out; another one that has taken its place meanwhile stays. */
export async function removeTransfer(
  queryable: Queryable,
  callId: string,
  { side, to }: { side: Side; to: string },
): Promise<void> {
  await queryable.query(
    `UPDATE live_calls SET transfer_side = NULL, transfer_to = NULL
     WHERE call_id = $1::uuid AND transfer_side = $2 AND transfer_to = $3`,
    [callId, side, to],
    { name: 'remove-transfer' },
  );
}

/** The next driver finds the leg under its new name. The callee's place on a carrier becomes free. False: the call has ended, or another replica drives it. */
export async function noteTransferred(
  queryable: Queryable,
  by: LeaseTerm,
  { callId, leg }: { callId: string; leg: TransferredLeg },
): Promise<boolean> {
  const isCaller = leg.side === 'a';
  const forget = (until: string, side: string): string =>
    `${until} = CASE WHEN ${side} = $4 THEN NULL ELSE ${until} END`;
  const rows = await queryable.query(
    `UPDATE live_calls SET ${isCaller ? 'a_channel = $2, a_ramal = $3' : 'attempt = $2, b_ramal = $3, trunk = NULL'},
       ${forget('left_until', 'left_side')}, ${forget('called_until', 'called_side')}
     WHERE call_id = $1::uuid AND switch = $5 AND ${isTermOf('$5', '$6')} RETURNING 1 AS done`,
    [callId, isCaller ? leg.channel : leg.attempt, leg.ramal, leg.side, by.switchName, by.term],
    { name: isCaller ? 'note-transferred-caller' : 'note-transferred-callee' },
  );
  return rows.length > 0;
}

/** A party that has left counts from now on as gone: the call ends at `until`. Changes nothing if another extension is to be called. */
export async function noteTransferFailed(
  queryable: Queryable,
  callId: string,
  { side, until }: { side: Side; until: Date },
): Promise<void> {
  await queryable.query(
    `UPDATE live_calls SET called_until = NULL, due_at = least(due_at, $3),
       left_until = CASE WHEN ${hasLeft('$2')} THEN least(left_until, $3) ELSE left_until END
     WHERE call_id = $1::uuid AND called_side = $2 AND called_until IS NOT NULL AND transfer_to IS NULL`,
    [callId, side, until],
    { name: 'note-transfer-failed' },
  );
}
