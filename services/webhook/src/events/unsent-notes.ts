import type { EventType } from '../domain/event-type';
import type { Unsent } from '../domain/match';
import type { UnsentCount } from '../storage/unsent-counts';

export interface UnsentNote {
  integrationId: number;
  eventType: EventType;
  callId: string | null;
  at: Date;
  unsent: Unsent;
}

/** Of events that were not sent, a few are listed one by one, and all are counted. */
export interface UnsentNotes {
  /** Of events that are matched together. */
  begin(): UnsentBatch;
  /** What was counted since it was last taken. */
  take(): UnsentCount[];
  /** What could not be stored is counted again. */
  giveBack(counts: readonly UnsentCount[]): void;
}

export interface UnsentBatch {
  /** False if the integration has listed enough in this minute, or the event is of a type that it did not ask for. */
  add(note: UnsentNote): boolean;
  /** To be called when the batch is committed: what is rolled back neither counts nor uses up the list. */
  commit(): void;
}

/** A call that is placed to find out why nothing arrives is listed, unless others like it come every few seconds. */
const listedPerMinute = 10;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function createUnsentNotes(): UnsentNotes {
  let minute = 0;
  let listed = new Map<number, number>();
  let counted = new Map<string, UnsentCount>();

  function count(added: UnsentCount): void {
    const key = keyOf(added);
    const before = counted.get(key);
    const newest = before !== undefined && before.at > added.at ? before : added;
    counted.set(key, { ...newest, count: added.count + (before?.count ?? 0) });
  }

  return {
    begin() {
      const groups = new Map<string, NoteGroup>();
      const own = new Map<number, number>();
      return {
        add(note) {
          const { integrationId, at, unsent } = note;
          const key = keyOf({ integrationId, eventType: note.eventType, hour: hourOf(at), code: unsent.code });
          groups.set(key, { newest: note, count: 1 + (groups.get(key)?.count ?? 0) });
          if (unsent.code === 'TYPE_NOT_CHOSEN') {
            return false;
          }
          if (minuteOf(at) !== minute) {
            minute = minuteOf(at);
            listed = new Map();
          }
          const here = own.get(integrationId) ?? 0;
          const isListed = here + (listed.get(integrationId) ?? 0) < listedPerMinute;
          own.set(integrationId, here + (isListed ? 1 : 0));
          return isListed;
        },
        commit() {
          own.forEach((many, integrationId) => listed.set(integrationId, many + (listed.get(integrationId) ?? 0)));
          groups.forEach((group) => count(toCount(group)));
        },
      };
    },
    take() {
      const taken = [...counted.values()];
      counted = new Map();
      return taken;
    },
    giveBack: (counts) => counts.forEach(count),
  };
}

/** Notes that are counted together. Of all but the newest only the number is kept. */
interface NoteGroup {
  newest: UnsentNote;
  count: number;
}

const keyOf = ({
  integrationId,
  hour,
  eventType,
  code,
}: Pick<UnsentCount, 'integrationId' | 'hour' | 'eventType' | 'code'>): string =>
  `${integrationId} ${hour} ${eventType} ${code}`;

const toCount = ({ newest: { unsent, ...note }, count }: NoteGroup): UnsentCount => ({
  ...{ ...note, count, hour: hourOf(note.at) },
  ...{ code: unsent.code, reason: unsent.explain() },
});

const minuteOf = (at: Date): number => Math.floor(at.getTime() / minuteMs);
const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs);
