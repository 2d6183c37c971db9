import type { Trunk } from './trunk';

/** A call that waits for a place on a carrier. Calls of one line can use the same carriers. */
export interface WaitingCall {
  id: string;
  line: string;
  /** Its turn: lower ones go first. */
  turn: number;
  /** The carriers that it may use, in the order of preference. */
  trunks: readonly Trunk[];
}

/** How much of a carrier is in use. */
export interface TrunkUse {
  name: string;
  /** The calls that have a place on it. */
  calls: number;
  /** Milliseconds until its calls per second permit another call; 0 or less: now. */
  nextInMs: number;
}

export interface Leaving {
  call: WaitingCall;
  /** Undefined: no carrier leads to the destination any more. */
  trunk: Trunk | undefined;
}

type Limits = Pick<Trunk, 'maximumCalls' | 'callsPerSecond'>;

export const hasLimits = ({ maximumCalls, callsPerSecond }: Limits): boolean =>
  maximumCalls !== undefined || callsPerSecond !== undefined;

/** The line of calls that can use these carriers; undefined: they need not wait, as the first one has no limits. */
export function lineOf(route: readonly Trunk[]): string | undefined {
  const [first] = route;
  return first !== undefined && hasLimits(first) ? route.map(({ name }) => name).join(',') : undefined;
}

/** The line of calls that wait for a switch with room, and the name of its places. It sorts before every carrier's name. */
export const SWITCH_LINE = '*';

/** Calls leave the line so much before they may be dialled: a round serves a fast carrier several calls. */
const AHEAD_MS = 250;

/**
 * Which calls leave the line now, and for which carrier: the lowest turn first among all calls for which a carrier has room. `lines`:
 * the first calls of each line, in the order of their turns.
 */
export function letOut(lines: readonly (readonly WaitingCall[])[], uses: readonly TrunkUse[]): Leaving[] {
  const used = new Map(uses.map((use) => [use.name, { ...use }]));
  const waiting = lines.map((calls) => [...calls]);
  const leaving: Leaving[] = [];
  for (;;) {
    const [next] = waiting
      .filter(([first]) => first !== undefined && (first.trunks.length === 0 || trunkFor(first, used) !== undefined))
      .sort(([one], [other]) => compareTurns(one!, other!));
    const call = next?.shift();
    if (call === undefined) {
      return leaving;
    }
    const trunk = trunkFor(call, used);
    if (trunk !== undefined) take(trunk, used);
    leaving.push({ call, trunk });
  }
}

type Used = ReadonlyMap<string, TrunkUse>;

const trunkFor = ({ trunks }: WaitingCall, used: Used): Trunk | undefined =>
  trunks.find((trunk) => hasRoom(trunk, used.get(trunk.name)));

/** A carrier with limits whose use is not known has none. */
const hasRoom = (trunk: Trunk, use: TrunkUse | undefined): boolean =>
  !hasLimits(trunk) ||
  (use !== undefined &&
    use.calls < (trunk.maximumCalls ?? Infinity) &&
    (trunk.callsPerSecond === undefined || use.nextInMs <= AHEAD_MS));

function take(trunk: Trunk, used: Used): void {
  const use = used.get(trunk.name);
  if (use !== undefined) {
    use.calls += 1;
    use.nextInMs = Math.max(0, use.nextInMs) + pauseOf(trunk);
  }
}

/** Milliseconds between two calls on the carrier. */
export const pauseOf = ({ callsPerSecond }: Limits): number =>
  callsPerSecond === undefined ? 0 : 1_000 / callsPerSecond;

const compareTurns = (one: WaitingCall, other: WaitingCall): number =>
  one.turn - other.turn || (one.id < other.id ? -1 : 1);

/** When a call that waits may leave because of calls per second alone; undefined: some other call must end first. */
export function nextRoomInMs(
  lines: readonly (readonly WaitingCall[])[],
  uses: readonly TrunkUse[],
): number | undefined {
  const used = new Map(uses.map((use) => [use.name, use]));
  const waits = lines.flatMap(([first]) =>
    (first?.trunks ?? []).flatMap((trunk) => {
      const use = used.get(trunk.name);
      const isFull = use === undefined || use.calls >= (trunk.maximumCalls ?? Infinity);
      return isFull ? [] : [Math.max(0, use.nextInMs - AHEAD_MS)];
    }),
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}
