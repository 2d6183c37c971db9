import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { HangupCause } from '../domain/hangup-cause';
import { chooseSwitch } from '../domain/switch-node';
import type { SwitchLoad } from '../domain/switch-node';
import { listOpenSwitches } from '../storage/switch-registry';
import {
  assignWaiting,
  hasWaiting,
  listCancelledWaiting,
  listWaiting,
  listWaitingSince,
  lockLine,
} from '../storage/waiting-calls';
import type { SwitchLoads } from './switch-loads';

export interface LineOptions {
  database: Database;
  loads: SwitchLoads;
  /** Tells the drivers of these switches that there are calls to place. */
  onAssigned: (switchNames: string[]) => void;
  /** Ends a call that nobody will place. */
  end: (callId: string, cause: HangupCause) => Promise<void>;
  pollMs: number;
  log: Logger;
  now: () => Date;
}

export interface Line {
  /** There is a call in line, or room for one. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
}

const BATCH = 100;
/** How often the load of the switches is read while nobody waits. */
const LOOK_MS = 1_000;
/** While no switch takes calls a new one is ended soon, so that its caller does not wait in silence. */
const NO_SWITCH_MS = 5_000;

/**
 * Gives the calls in line to switches with room, first come, first served. Every replica may do it, one at a time: so no switch gets
 * more calls than its capacity.
 */
export function createLine({ database, loads, onAssigned, end, pollMs, log, now }: LineOptions): Line {
  let lookedAt = -Infinity;
  /** Since when no switch has taken calls. */
  let closedSince: number | undefined;

  /** Which switch each of the calls goes to, until none has room. */
  function distribute(callIds: string[], open: SwitchLoad[]): { callId: string; switchName: string }[] {
    return callIds.flatMap((callId) => {
      const chosen = chooseSwitch(open);
      if (chosen === undefined) return [];
      chosen.liveCalls += 1;
      return [{ callId, switchName: chosen.name }];
    });
  }

  const roomOf = (open: readonly SwitchLoad[]): number =>
    open.reduce((sum, { capacity, liveCalls }) => sum + Math.max(0, capacity - liveCalls), 0);

  /** Returns whether calls are left in line although there is room. */
  async function assign(): Promise<boolean> {
    const { assignments, open, isMore } = await database.transaction(async (tx) => {
      await lockLine(tx);
      const switches = await listOpenSwitches(tx);
      const limit = Math.min(BATCH, roomOf(switches));
      const callIds = limit === 0 ? [] : await listWaiting(tx, limit);
      const given = distribute(callIds, switches);
      if (given.length > 0) await assignWaiting(tx, given);
      return { assignments: given, open: switches, isMore: given.length === BATCH };
    });
    loads.update(open, roomOf(open) === 0 || isMore);
    if (assignments.length > 0) onAssigned([...new Set(assignments.map(({ switchName }) => switchName))]);
    await endHopeless(open.length === 0);
    return isMore;
  }

  async function endHopeless(isClosed: boolean): Promise<void> {
    closedSince = isClosed ? (closedSince ?? performance.now()) : undefined;
    if (closedSince === undefined || performance.now() - closedSince < NO_SWITCH_MS) return;
    const callIds = await listWaitingSince(database, new Date(now().getTime() - NO_SWITCH_MS), BATCH);
    await Promise.all(callIds.map((callId) => end(callId, 'NETWORK_OUT_OF_ORDER')));
  }

  async function endCancelled(): Promise<void> {
    const callIds = await listCancelledWaiting(database, BATCH);
    await Promise.all(callIds.map((callId) => end(callId, 'ORIGINATOR_CANCEL')));
  }

  const rounds = createPeriodicWork({
    name: 'calls in line',
    everyMs: pollMs,
    async work() {
      if (await hasWaiting(database)) {
        lookedAt = performance.now();
        await endCancelled();
        return assign();
      }
      if (performance.now() - lookedAt >= LOOK_MS) {
        lookedAt = performance.now();
        const open = await listOpenSwitches(database);
        closedSince = open.length > 0 ? undefined : (closedSince ?? performance.now());
        loads.update(open, false);
      }
      return false;
    },
    log,
  });
  return { wake: () => rounds.wake(), start: () => rounds.start(), stop: () => rounds.stop() };
}
