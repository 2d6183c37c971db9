import type { NewCall } from '../domain/call';
import type { LiveCall } from '../domain/live-call';
import type { LeaseTerm } from '../storage/lease-fence';
import type { Placing } from '../storage/place-calls';

/** Writes calls for a switch that this replica drives; one of its functions is called when they are committed, or not. */
export interface Taking {
  /** The calls are written as taken only if the lease of the switch still has this term. */
  readonly term: LeaseTerm;
  /** These calls are committed, and taken. False: the switch is not driven here any more, so that its driver has to look for them. */
  written(calls: LiveCall[]): boolean;
  /** Perhaps these calls are committed, or will be; then a driver has to look for them. */
  unknown(calls: TakenCall[]): void;
}

export type TakenCall = Pick<LiveCall, 'id' | 'placedAt'>;

/** By the names of the switches that this replica drives; undefined: the switch cannot be given calls at this moment. */
export type Takers = Map<string, () => Taking | undefined>;

export interface TakingOptions {
  takers: Takers;
  ringSeconds: number;
  now: () => Date;
}

/**
 * Calls that are written so that those of switches that this replica drives are taken by that: their drivers get them as soon as they are
 * committed, and need not look for them.
 */
export interface OpenTaking {
  /** To be written by one statement. */
  mark(placings: Placing[]): Placing[];
  /** All is committed, and these are taken. Returns the ids of the calls that drivers have got. */
  end(taken: readonly string[]): Set<string>;
  /** Perhaps it is committed, or will be. */
  fail(): void;
}

export function openTaking({ takers, ringSeconds, now }: TakingOptions): OpenTaking {
  const takings = new Map<string, Taking>();
  let at: Date;
  let marked: Placing[] = [];

  function takingOf({ switchName, waiting }: Placing): Taking | undefined {
    if (switchName === null || waiting !== undefined) return undefined;
    const taking = takings.get(switchName) ?? takers.get(switchName)?.();
    if (taking !== undefined) takings.set(switchName, taking);
    return taking;
  }

  const callsOf = ({ term: { switchName } }: Taking): LiveCall[] =>
    marked.flatMap((placing) =>
      placing.taken !== undefined && placing.switchName === switchName
        ? [takenCall(placing.call, { switchName, at })]
        : [],
    );

  return {
    mark(placings) {
      at = now();
      const dueAt = new Date(at.getTime() + ringSeconds * 1_000);
      marked = placings.map((placing): Placing => {
        const taking = takingOf(placing);
        return taking === undefined ? placing : { ...placing, dueAt, taken: { at, term: taking.term.term } };
      });
      return marked;
    },
    end(taken) {
      const ids = new Set(taken);
      const given = [...takings.values()].map((taking) => {
        const calls = callsOf(taking).filter(({ id }) => ids.has(id));
        return taking.written(calls) ? calls.map(({ id }) => id) : [];
      });
      return new Set(given.flat());
    },
    fail() {
      for (const taking of takings.values()) taking.unknown(callsOf(taking));
    },
  };
}

/** The call as its rows are once it is written and taken; but for when the switch was last seen, which does not matter to whoever places a call. */
const takenCall = (call: NewCall, { switchName, at }: { switchName: string; at: Date }): LiveCall => ({
  status: 'queued',
  answeredAt: null,
  endedAt: null,
  duration: null,
  hangupCause: null,
  hangupCauseCode: null,
  minutePrice: null,
  callPrice: null,
  billedSeconds: null,
  recordUrl: null,
  switchName,
  attempt: 0,
  trunks: null,
  line: null,
  readyAt: null,
  placedAt: at,
  seenAt: null,
  requestedCause: null,
  requestedAt: null,
  aRamal: null,
  bRamal: null,
  transferTo: null,
  transferSide: null,
  leftUntil: null,
  ...call,
});
