import { identify } from '@sabia/embedded/process/identity';

/** A process that ended but was not yet fetched by its parent is not running, though a signal would still reach it. */
export function isRunning(pid: number): boolean {
  return identify(pid) !== undefined;
}
