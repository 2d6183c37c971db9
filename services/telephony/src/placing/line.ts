import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { HangupCause } from '../domain/hangup-cause';
import { chooseSwitch } from '../domain/switch-node';
import type { SwitchLoad } from '../domain/switch-node';
import { SWITCH_LINE } from '../domain/waiting-line';
import { listOpenSwitches } from '../storage/switch-registry';
import { giveSwitches, readTrunkPlaces } from '../storage/trunk-places';
import type { SwitchGiven } from '../storage/trunk-places';
import { hasWaiting, joinSwitchLine, listCancelledWaiting, listWaitingSince } from '../storage/waiting-calls';
import { listFirstOf } from '../storage/waiting-line';
import type { LineKeeper } from './line-keeper';
import type { SwitchLoads } from './switch-loads';

export interface LineOptions {
  database: Database;
  loads: SwitchLoads;
  keeper: LineKeeper;
  /** A call waits for so long at most. */
  waitSeconds: number;
  ringSeconds: number;
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
const MOST_JOINING = 1_000;
/** How often the load of the switches is read while nobody waits. */
const LOOK_MS = 1_000;
/** While no switch takes calls a new one is ended soon, so that its caller does not wait in silence. */
const NO_SWITCH_MS = 5_000;

/**
 * Gives the calls in line to switches with room, accounts taking turns. Every replica does so: whoever is overtaken by another one
 * looks again, so that no switch gets more calls than its capacity.
 */
export function createLine(options: LineOptions): Line {
  const { database, loads, keeper, waitSeconds, ringSeconds, onAssigned, end, pollMs, log, now } = options;
  let lookedAt = -Infinity;
  /** Since when no switch has taken calls. */
  let closedSince: number | undefined;

  const inSeconds = (seconds: number): Date => new Date(now().getTime() + seconds * 1000);

  /** Which switch each of the calls goes to, until none has room. */
  function distribute(callIds: string[], open: SwitchLoad[]): SwitchGiven[] {
    return callIds.flatMap((callId) => {
      const chosen = chooseSwitch(open);
      if (chosen === undefined) return [];
      chosen.liveCalls += 1;
      return [{ callId, switchName: chosen.name }];
    });
  }

  const roomOf = (open: readonly SwitchLoad[]): number =>
    open.reduce((sum, { capacity, liveCalls }) => sum + Math.max(0, capacity - liveCalls), 0);

  /** Returns whether there may be more to do at once. */
  async function assign(): Promise<boolean> {
    // The version before the loads: if it is still the same afterwards, no other replica has given a switch more calls.
    const [line] = await readTrunkPlaces(database, [SWITCH_LINE]);
    const open = await listOpenSwitches(database);
    const first = await listFirstOf(database, SWITCH_LINE, Math.min(BATCH, roomOf(open)));
    const given = distribute(
      first.map(({ id }) => id),
      open,
    );
    if (given.length > 0) {
      const turn = Math.max(...first.map((call) => call.turn));
      const isCurrent = await giveSwitches(database, {
        line: { name: SWITCH_LINE, version: line!.version, turn, pauseMs: 0 },
        calls: given,
        now: now(),
        dueAt: inSeconds(ringSeconds),
      });
      if (!isCurrent) return true;
      onAssigned([...new Set(given.map(({ switchName }) => switchName))]);
    }
    const isMore = given.length === BATCH;
    loads.update(open, roomOf(open) === 0 || isMore);
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
        await keeper.endOverdue();
        await endCancelled();
        await joinSwitchLine(database, { until: inSeconds(waitSeconds), limit: MOST_JOINING });
        const isMore = await assign();
        await keeper.tell();
        return isMore;
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
