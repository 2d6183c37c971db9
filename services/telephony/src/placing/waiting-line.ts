import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Trunk } from '../domain/trunk';
import type { RouteTo } from '../domain/trunk-route';
import { hasLimits, letOut, nextRoomInMs, pauseOf } from '../domain/waiting-line';
import type { Leaving, WaitingCall } from '../domain/waiting-line';
import { readTrunkPlaces, takePlaces } from '../storage/trunk-places';
import type { TrunkPlaces } from '../storage/trunk-places';
import { listFirst } from '../storage/waiting-line';
import type { WaitingRow } from '../storage/waiting-line';
import type { LineKeeper } from './line-keeper';

export interface WaitingLine {
  /** A call has joined the line or was asked to end, or a place has become free. */
  poke(): void;
  start(): void;
  stop(): Promise<void>;
}

export interface WaitingLineOptions {
  database: Database;
  trunks: readonly Trunk[];
  routeTo: RouteTo;
  keeper: LineKeeper;
  ringSeconds: number;
  /** Calls have left the line: the drivers of their switches find them. */
  onLeft: () => void;
  pollMs: number;
  log: Logger;
  now: () => Date;
}

/** Calls of each line that one round considers. */
const FIRST = 64;

/**
 * Gives waiting calls their places on carriers, accounts taking turns. Every replica does so: whoever is overtaken by another one
 * looks again. The line itself is in the database.
 */
export function createWaitingLine(options: WaitingLineOptions): WaitingLine {
  const { database, trunks, routeTo, keeper, ringSeconds, onLeft, pollMs, log, now } = options;
  const limited = trunks.filter(hasLimits);
  const names = limited.map(({ name }) => name);
  let turn: NodeJS.Timeout | undefined;

  async function round(): Promise<boolean> {
    const rows = await listFirst(database, FIRST);
    if (rows.length === 0) {
      return false;
    }
    const ended = await keeper.endOverdue();
    const lines = linesOf(rows);
    const places = names.length === 0 ? [] : await readTrunkPlaces(database, names);
    const leaving = letOut(lines, places);
    const isCurrent = leaving.length === 0 || (await leave(leaving, places));
    if (ended > 0 || (leaving.length > 0 && isCurrent)) onLeft();
    if (leaving.length > 0) {
      return true;
    }
    wakeIn(nextRoomInMs(lines, places));
    await keeper.tell();
    return false;
  }

  function linesOf(rows: WaitingRow[]): WaitingCall[][] {
    const lines = new Map<string, WaitingCall[]>();
    for (const { id, line, turn, to, tried } of rows) {
      const open = routeTo(to).filter(({ name }) => !tried?.includes(name));
      lines.set(line, [...(lines.get(line) ?? []), { id, line, turn, trunks: open }]);
    }
    return [...lines.values()];
  }

  async function leave(leaving: Leaving[], places: TrunkPlaces[]): Promise<boolean> {
    const taken = limited.flatMap((trunk) => {
      const calls = leaving.filter((each) => each.trunk === trunk);
      const version = places.find(({ name }) => name === trunk.name)?.version ?? 0;
      const turn = Math.max(...calls.map(({ call }) => call.turn));
      return calls.length === 0 ? [] : [{ name: trunk.name, version, turn, pauseMs: calls.length * pauseOf(trunk) }];
    });
    const at = now();
    return takePlaces(database, {
      trunks: taken,
      calls: leaving.map(({ call, trunk }) => ({ callId: call.id, trunk: trunk?.name ?? null })),
      now: at,
      dueAt: new Date(at.getTime() + ringSeconds * 1000),
    });
  }

  function wakeIn(milliseconds: number | undefined): void {
    clearTimeout(turn);
    if (milliseconds !== undefined && milliseconds < pollMs) {
      turn = setTimeout(() => loop.wake(), milliseconds);
    }
  }

  const loop = createPeriodicWork({ name: 'calls that wait', everyMs: pollMs, work: round, log });

  return {
    // Without limits nobody joins; what waits from before is found by itself.
    poke: () => limited.length > 0 && loop.wake(),
    start: () => loop.start(),
    async stop() {
      clearTimeout(turn);
      await loop.stop();
      clearTimeout(turn);
    },
  };
}
