import { setTimeout as delay } from 'node:timers/promises';
import { ManagedProcess, type ProcessOptions } from './managed-process';

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A process that ran this long did not fail at its start: the next pause is the shortest again. */
const HEALTHY_AFTER_MS = 30_000;

/** A process that is started again whenever it dies, after longer and longer pauses. */
export function keepAlive(
  options: Omit<ProcessOptions, 'onUnexpectedExit'>,
  onDeath: (how: string) => void,
  onRevival: () => void = () => undefined,
): ManagedProcess {
  let pauseMs = SHORTEST_PAUSE_MS;
  let revivedAt = Date.now();
  let reviving = false;

  const managed = new ManagedProcess({
    ...options,
    onUnexpectedExit: (how) => {
      onDeath(how);
      if (!reviving) void revive();
    },
  });

  async function revive(): Promise<void> {
    reviving = true;
    if (Date.now() - revivedAt > HEALTHY_AFTER_MS) pauseMs = SHORTEST_PAUSE_MS;
    while (managed.isWanted && managed.pid === undefined) {
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (!managed.isWanted) break;
      try {
        await managed.restart();
        revivedAt = Date.now();
        onRevival();
      } catch {
        // The failure is in the process's log; the next attempt waits longer.
      }
    }
    reviving = false;
  }

  return managed;
}
