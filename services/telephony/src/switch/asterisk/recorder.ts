import type { Logger } from '@sabia/service-kit/logging';
import type { SwitchEvent } from '../port';
import type { AriClient } from './ari-client';
import { AriError } from './ari-http';
import { createBackOff } from './back-off';
import type { BackOff } from './back-off';
import { bridgeOf } from './call-legs';
import type { LegBook, Legs } from './leg-book';

export interface RecorderOptions {
  ari: Pick<AriClient, 'recordBridge' | 'deleteRecording'>;
  book: LegBook;
  tell: (event: SwitchEvent) => void;
  /** The longest talking time, and so the longest recording. */
  maximumSeconds: number;
  log: Logger;
  now: () => Date;
}

export type Recorder = ReturnType<typeof createRecorder>;

const PAUSE = { shortestMs: 500, longestMs: 10_000 };

/** Starts recordings on the switch; one that cannot begin is tried again for as long as the call lasts. */
export function createRecorder({ ari, book, tell, maximumSeconds, log, now }: RecorderOptions) {
  /** The pauses between tries, of calls whose recording could not begin so far. */
  const pauses = new WeakMap<Legs, BackOff>();

  const note = ({ call }: Legs, message: string): void => tell({ kind: 'leg', callId: call.id, at: now(), message });

  function tryAgain(legs: Legs, error: unknown): void {
    const { id: callId } = legs.call;
    if (!book.holds(legs)) {
      return;
    }
    let pause = pauses.get(legs);
    if (pause === undefined) {
      log.error({ err: error, callId }, 'a call could not be recorded, trying again');
      note(legs, 'recording failed');
      pause = createBackOff(PAUSE);
      pauses.set(legs, pause);
    }
    setTimeout(() => void begin(legs), pause.next()).unref();
  }

  async function begin(legs: Legs): Promise<void> {
    const { id: name, record } = legs.call;
    if (!record || !book.holds(legs)) {
      return;
    }
    try {
      await ari.recordBridge(bridgeOf(name), { name, format: 'wav', maxDurationSeconds: maximumSeconds });
      if (pauses.delete(legs)) note(legs, 'recording begun late');
    } catch (error) {
      // There is a recording of this name: it is running, or has ended early and is kept as it is.
      if (error instanceof AriError && error.status === 409) {
        // Its beginning may have been missed.
        tell({ kind: 'recording', callId: name, at: now(), begun: true });
      } else {
        tryAgain(legs, error);
      }
    }
  }

  return {
    /** Does nothing if the call is being recorded already. */
    begin,

    /** The switch had accepted the recording and failed later. */
    failed(callId: string): void {
      const legs = book.of(callId);
      if (legs !== undefined) {
        // Removes the empty file, which would block the next try.
        void ari
          .deleteRecording(callId)
          .catch(() => undefined)
          .then(() => tryAgain(legs, new Error('the recording failed')));
      }
    },

    /** Notes a recording that ended before its call; otherwise there is nothing to note. */
    finished(callId: string): void {
      const legs = book.of(callId);
      if (legs !== undefined) note(legs, 'recording ended early');
    },
  };
}
