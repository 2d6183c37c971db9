import { identify } from '@sabia/embedded/process/identity';

/** False also for a zombie: it has ended, though a signal would still reach it. */
export function isRunning(pid: number): boolean {
  return identify(pid) !== undefined;
}
