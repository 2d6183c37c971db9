interface Bidder {
  accountId: number;
}

/** The requests that may be under way in all, shared out in turn among accounts, and among the lanes of each account. */
export interface Slots<Lane extends Bidder> {
  readonly underWay: number;
  /** False when no slot is free for the lane: it then waits for its turn. */
  take(lane: Lane): boolean;
  free(lane: Lane): void;
  /** Puts the lane at the end of the queue. */
  wait(lane: Lane): void;
  /** The lane whose turn it is, if there is a slot for it. */
  next(): Lane | undefined;
}

export function createSlots<Lane extends Bidder>(most: number, mostPerAccount: number): Slots<Lane> {
  const taken = new Map<number, number>();
  // Accounts, and the lanes of each, in the order of their turns.
  const waiting = new Map<number, Set<Lane>>();
  let underWay = 0;

  const takenBy = (accountId: number): number => taken.get(accountId) ?? 0;
  const isFull = (accountId: number): boolean => underWay >= most || takenBy(accountId) >= mostPerAccount;

  function wait(lane: Lane): void {
    const lanes = waiting.get(lane.accountId);
    if (lanes === undefined) {
      waiting.set(lane.accountId, new Set([lane]));
    } else {
      lanes.add(lane);
    }
  }

  return {
    get underWay() {
      return underWay;
    },
    take(lane) {
      if (isFull(lane.accountId)) {
        wait(lane);
        return false;
      }
      underWay += 1;
      taken.set(lane.accountId, takenBy(lane.accountId) + 1);
      return true;
    },
    free({ accountId }) {
      underWay -= 1;
      const left = takenBy(accountId) - 1;
      if (left > 0) {
        taken.set(accountId, left);
      } else {
        taken.delete(accountId);
      }
    },
    wait,
    next() {
      for (const [accountId, lanes] of waiting) {
        if (underWay >= most) {
          return undefined;
        }
        if (isFull(accountId)) {
          continue;
        }
        const [lane] = lanes;
        lanes.delete(lane!);
        waiting.delete(accountId);
        if (lanes.size > 0) {
          waiting.set(accountId, lanes);
        }
        return lane;
      }
      return undefined;
    },
  };
}
