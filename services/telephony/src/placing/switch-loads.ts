import { chooseSwitch } from '../domain/switch-node';
import type { SwitchLoad } from '../domain/switch-node';

/** So far below its capacity, a switch gets calls without a look at the line: other replicas may add this many in between. */
const MARGIN = 64;
/** What was read longer ago says too little. */
const FRESH_MS = 3_000;

export interface SwitchLoads {
  /** What the database knows at this moment; `waiting`: there are calls in line. */
  update(loads: readonly SwitchLoad[], waiting: boolean): void;
  /** The switch for a new call. Undefined: it must wait in line, where capacities are respected to the last call. */
  choose(): string | undefined;
}

/** What this replica knows of the load of the switches, with the calls that it has placed since. */
export function createSwitchLoads({ elapsed = () => performance.now() } = {}): SwitchLoads {
  let known: SwitchLoad[] = [];
  let knownAt = -Infinity;
  return {
    update(loads, waiting) {
      known = waiting ? [] : loads.map((load) => ({ ...load }));
      knownAt = elapsed();
    },
    choose() {
      if (elapsed() - knownAt > FRESH_MS) {
        return undefined;
      }
      const chosen = chooseSwitch(known, { margin: MARGIN });
      if (chosen !== undefined) chosen.liveCalls += 1;
      return chosen?.name;
    },
  };
}
