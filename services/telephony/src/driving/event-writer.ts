import { setMaxListeners } from 'node:events';
import type { Logger } from '@sabia/service-kit/logging';
import { retry } from '@sabia/service-kit/work/retry';
import type { SerialWork } from '@sabia/service-kit/work/serial-work';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import type { CallProgress } from './call-progress';
import type { SwitchEvent } from '../switch/port';

export interface EventWriter {
  /** Is written as soon as it can be, what is told of one call in the order in which it was told. */
  write(event: SwitchEvent): void;
  /** From now on nothing is taken any more; what was taken is tried once more at the most. */
  close(): void;
}

export interface EventWriterOptions {
  progress: CallProgress;
  serial: SerialWork<string>;
  log: Logger;
  retryMs: number;
  onWritten: (event: SwitchEvent) => void;
}

const TRIES = 5;

/** The database being away is waited for; anything else is tried a few times and then left to the round over due calls. */
export function createEventWriter({ progress, serial, log, retryMs, onWritten }: EventWriterOptions): EventWriter {
  const closing = new AbortController();
  // Everybody who waits listens to it.
  setMaxListeners(0, closing.signal);

  async function persist(event: SwitchEvent): Promise<void> {
    let failures = 0;
    const mayPass = (error: unknown): boolean => {
      if (isDatabaseUnavailable(error)) {
        return true;
      }
      failures += 1;
      const { callId, kind } = event;
      log.error({ err: error, callId, kind, tries: failures }, 'what happened to a call could not be written');
      return failures < TRIES;
    };
    const apply = async (): Promise<void> => {
      await progress.apply(event);
      onWritten(event);
    };
    // A failure that stays was logged above.
    await retry(apply, { mayPass, pauseMs: () => retryMs, signal: closing.signal }).catch(() => undefined);
  }

  return {
    write(event) {
      if (!closing.signal.aborted) {
        void serial.run(event.callId, () => persist(event));
      }
    },
    close: () => closing.abort(),
  };
}
