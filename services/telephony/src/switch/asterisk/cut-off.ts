import type { Logger } from '@sabia/service-kit/logging';
import { cutOffAt } from '../../domain/live-call';
import type { LiveCall } from '../../domain/live-call';
import type { AriClient } from './ari-client';
import { isGone } from './ari-http';
import type { Legs } from './leg-book';

export interface CutOffOptions {
  ari: Pick<AriClient, 'setVariable'>;
  /** Of an unanswered call, beyond what the driver waits for. */
  dialSeconds: number;
  /** Of talking, however much is paid for. */
  maximumSeconds: number;
  log: Logger;
  now: () => Date;
}

export type CutOff = ReturnType<typeof createCutOff>;

/** A channel ends by itself so many seconds after this was set, whatever application or bridge it is in. */
const VARIABLE = 'TIMEOUT(absolute)';
/** 0 would take the limit away. */
const SHORTEST_SECONDS = 0.01;
/** For a driver that is there: it extends the time in the last moment, or cuts the call by itself. */
const GRACE_SECONDS = 1.5;

/** The limit of a call that Asterisk keeps by itself, so that it holds while nobody drives the call. */
export function createCutOff({ ari, dialSeconds, maximumSeconds, log, now }: CutOffOptions) {
  const valueOf = (seconds: number): string => Math.max(SHORTEST_SECONDS, seconds + GRACE_SECONDS).toFixed(3);

  /** On both legs: the one that is left alone by the end of the other would otherwise wait for somebody to notice. */
  async function set({ a, b }: Legs, call: LiveCall & { answeredAt: Date }): Promise<void> {
    const value = valueOf((cutOffAt(call, maximumSeconds).getTime() - now().getTime()) / 1000);
    await Promise.all(
      [a, b].map(async (channelId) => {
        try {
          if (channelId !== undefined) await ari.setVariable(channelId, VARIABLE, value);
        } catch (error) {
          // The end of one that has gone is told, or has been.
          if (!isGone(error)) throw error;
        }
      }),
    );
  }

  return {
    set,
    /** Where it fails the call goes on: it has the limit it was made with, and is cut by whoever drives it. */
    async tryToSet(legs: Legs, answeredAt: Date): Promise<void> {
      try {
        await set(legs, { ...legs.call, answeredAt });
      } catch (error) {
        log.warn({ err: error, callId: legs.call.id }, 'the switch could not be told when to cut a call');
      }
    },
    /** For a leg that is being made: should nobody be there when the call is answered, it ends all the same. */
    atMost: ({ grantedSeconds }: LiveCall): Record<string, string> => ({
      [VARIABLE]: valueOf(dialSeconds + Math.min(grantedSeconds ?? maximumSeconds, maximumSeconds)),
    }),
  };
}
