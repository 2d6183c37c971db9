import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isOverUnseen } from '../domain/absent-switch';
import { mayPlaceAgain } from '../domain/lost-call';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import { listUndriven } from '../storage/live-calls';
import { listOpenSwitches } from '../storage/switch-registry';
import { lineUpUnplaced } from '../storage/waiting-calls';
import type { CallProgress } from './call-progress';
import type { LeftCalls } from './left-calls';

export interface LostCallsOptions {
  database: Database;
  progress: Pick<CallProgress, 'apply'>;
  left: Pick<LeftCalls, 'giveBack'>;
  policy: TimePolicy;
  /** How long answered calls stay live while no replica reaches their switch. */
  absenceSeconds: number;
  /** There are calls in line. */
  onLinedUp: () => void;
  log: Logger;
  now: () => Date;
}

/** Looks are a second apart. After a pause as long as this, drivers get as much time to take their leases again. */
const UNSEEN_MS = 5_000;
const SETTLING_MS = 5_000;
/** Longer than it takes another replica to begin to drive. */
const PLACING_MS = 5_000;
/** Long enough for the SIP edges to end what the lost switch lets ring. */
const LOST_MS = 5_000;

/**
 * Looks after the calls of switches that no replica drives, in all replicas. Does nothing to others, except that each look gives back what
 * this replica has taken and could not place: where it drives no switch any more, nobody else would.
 */
export function createLostCalls(options: LostCallsOptions): () => Promise<void> {
  const { database, progress, left, policy, absenceSeconds, onLinedUp, log, now } = options;
  const isPast = (moment: Date, ms: number): boolean => moment.getTime() + ms <= now().getTime();
  let lookedAt = -Infinity;
  let lookingSince = 0;

  /**
   * False for a moment after this replica began to look, or could not look because the database was away: drivers could not renew their
   * leases either, and those that are there take them again.
   */
  function knowsDrivers(): boolean {
    const at = now().getTime();
    if (at - lookedAt > UNSEEN_MS) lookingSince = at;
    lookedAt = at;
    return at - lookingSince >= SETTLING_MS;
  }

  /** The switch has not begun to place them: another one may do so at once. */
  async function lineUp(calls: LiveCall[]): Promise<void> {
    const names = new Set(calls.map(({ switchName }) => switchName!));
    for (const name of names) await lineUpUnplaced(database, name);
    if (names.size > 0) onLinedUp();
  }

  /** One call that cannot be seen to must not keep the others. */
  const lose = (call: LiveCall): Promise<void> =>
    progress
      .apply({ kind: 'gone', callId: call.id, call, cause: 'NETWORK_OUT_OF_ORDER' })
      .catch((error: unknown) => log.warn({ err: error, callId: call.id }, 'a lost call is looked at again'));

  /** Elsewhere, so that a switch that is only out of reach does not get a call that it still has. */
  async function placeAgain(calls: LiveCall[]): Promise<void> {
    const again = calls.filter(
      (call) => isPast(call.seenAt ?? call.placedAt!, LOST_MS) && mayPlaceAgain(call, {}, policy, now()),
    );
    if (again.length === 0) return;
    const open = await listOpenSwitches(database);
    const movable = again.filter(({ switchName }) => open.some(({ name }) => name !== switchName));
    await Promise.all(movable.map(lose));
  }

  async function endOverdue(calls: LiveCall[]): Promise<void> {
    const over = calls.filter((call) => isOverUnseen(call, { ...policy, absenceSeconds }, now()));
    if (over.length > 0) {
      const switches = [...new Set(over.map(({ switchName }) => switchName))];
      log.warn({ switches, calls: over.length }, 'no replica reaches the switch, calls on it count as ended');
    }
    await Promise.all(over.map(lose));
  }

  return async () => {
    await left.giveBack().catch((error: unknown) => log.warn({ err: error }, 'calls that were not placed wait longer'));
    const calls = await listUndriven(database);
    if (!knowsDrivers() || calls.length === 0) return;
    const unplaced = calls.filter(({ placedAt }) => placedAt === null);
    await lineUp(unplaced.filter(({ aChannel }) => aChannel === null));
    const stranded = unplaced.filter(
      ({ aChannel, line, readyAt, startedAt }) =>
        aChannel !== null && line === null && isPast(readyAt ?? startedAt, PLACING_MS),
    );
    await Promise.all(stranded.map(lose));
    const placed = calls.filter(({ placedAt }) => placedAt !== null);
    await placeAgain(placed);
    await endOverdue(placed);
  };
}
