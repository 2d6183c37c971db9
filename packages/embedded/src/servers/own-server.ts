import type { PortBook } from '../process/port-book';
import { isPortFree } from '../process/ports';
import { ManagedProcess, type ProcessOptions } from '../process/managed-process';
import { keepAlive } from '../process/keep-alive';
import type { Server } from './server';

export interface OwnServerOptions {
  name: string;
  ports: PortBook;
  process: (port: number) => Omit<ProcessOptions, 'onUnexpectedExit'>;
  url: (port: number) => string;
  /** Called when the server died; it is then started again. */
  onDeath?: (name: string, how: string) => void;
  onRevival?: (name: string) => void;
  signal?: AbortSignal;
}

/** Starts a server on the port of its last start if that is free, else on another one. */
export async function startOwnServer(options: OwnServerOptions): Promise<Server> {
  const { name, ports, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const port = attempt === 1 ? await ports.take(name) : await ports.takeAnother(name);
    const managed = createManaged(options, port);
    const onAbort = () => void managed.stop();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort);
    try {
      await managed.start();
    } catch (error) {
      signal?.throwIfAborted();
      // Another process may have taken the port between the check and the start.
      if (attempt < 4 && !(await isPortFree(port))) continue;
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return {
      url: options.url(port),
      port,
      owned: true,
      get pid() {
        return managed.pid;
      },
      start: () => managed.start(),
      stop: () => managed.stop(),
      kill: () => managed.kill(),
      pause: () => managed.pause(),
      resume: () => managed.resume(),
    };
  }
}

function createManaged({ process, onDeath, onRevival }: OwnServerOptions, port: number): ManagedProcess {
  const spec = process(port);
  if (!onDeath) return new ManagedProcess(spec);
  return keepAlive(
    spec,
    (how) => onDeath(spec.name, how),
    () => onRevival?.(spec.name),
  );
}
