/** Waits for a place; what it answers gives the place back. */
export type EnterLane = (key: string) => Promise<() => void>;

/** Of each key so many at a time, the others in the order in which they came. */
export function createLanes(width: number): EnterLane {
  const lanes = new Map<string, { busy: number; waiting: (() => void)[] }>();
  return async (key) => {
    const lane = lanes.get(key) ?? { busy: 0, waiting: [] };
    lanes.set(key, lane);
    if (lane.busy >= width) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.busy += 1;
    return () => {
      // A place is handed over, so that nobody who comes meanwhile takes it.
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else if ((lane.busy -= 1) === 0) lanes.delete(key);
    };
  };
}
