import type { Logger } from '@sabia/service-kit/logging';
import type { AriClient } from './ari-client';
import { createBackOff } from './back-off';

export interface SureHangupOptions {
  ari: Pick<AriClient, 'hangup'>;
  log: Logger;
}

export type SureHangup = ReturnType<typeof createSureHangup>;

const TRIES = 10;
const PAUSE = { shortestMs: 250, longestMs: 5_000 };

/** Hangs up the channels of ended calls, which are not looked after any more: tries until they are gone. */
export function createSureHangup({ ari, log }: SureHangupOptions) {
  const waiting = new Set<NodeJS.Timeout>();
  let closed = false;

  async function tryTo(
    channelId: string,
    reason: number | undefined,
    triesLeft: number,
    pause: () => number,
  ): Promise<boolean | undefined> {
    try {
      return await ari.hangup(channelId, reason);
    } catch (error) {
      if (closed) {
        return undefined;
      }
      if (triesLeft === 0) {
        log.error({ err: error, channelId }, 'a channel of an ended call could not be hung up');
        return undefined;
      }
      const timer = setTimeout(() => {
        waiting.delete(timer);
        void tryTo(channelId, reason, triesLeft - 1, pause);
      }, pause());
      waiting.add(timer);
      return undefined;
    }
  }

  return {
    /** Resolves after the first try; a failed one is repeated. False: the channel was gone already; undefined: not known yet. */
    async hangUp(channelId: string, reason?: number): Promise<boolean | undefined> {
      return closed ? undefined : tryTo(channelId, reason, TRIES - 1, createBackOff(PAUSE).next);
    },
    close(): void {
      closed = true;
      waiting.forEach((timer) => clearTimeout(timer));
      waiting.clear();
    },
  };
}
