import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
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
    for (let tries = 1; ;) {
      try {
        await progress.apply(event);
        onWritten(event);
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          const { callId, kind } = event;
          log.error({ err: error, callId, kind, tries }, 'what happened to a call could not be written');
          tries += 1;
        }
        if (tries > TRIES || closing.signal.aborted) {
          return;
        }
      }
      await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
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
