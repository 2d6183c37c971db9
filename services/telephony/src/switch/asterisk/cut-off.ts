import type { Logger } from '@sabia/service-kit/logging';
import { cutOffAt } from '../../domain/live-call';
import type { LiveCall } from '../../domain/live-call';
import type { AriClient } from './ari-client';
import { isGone } from './ari-http';
import type { Legs } from './leg-book';

export interface CutOffOptions {
  ari: Pick<AriClient, 'setVariable'>;
  /** Limit of an unanswered call, longer than the driver waits. */
  dialSeconds: number;
  /** The longest talking time, however much is paid for. */
  maximumSeconds: number;
  log: Logger;
  now: () => Date;
}

export type CutOff = ReturnType<typeof createCutOff>;

/** A channel ends this many seconds after the variable was set, whatever application or bridge it is in. */
const VARIABLE = 'TIMEOUT(absolute)';
/** 0 would remove the limit. */
const SHORTEST_SECONDS = 0.01;
/** Leaves the cut to a running driver, which may extend the time at the last moment. */
const GRACE_SECONDS = 1.5;

/** The limit of a call that Asterisk enforces by itself, so that it holds while no replica drives the call. */
export function createCutOff({ ari, dialSeconds, maximumSeconds, log, now }: CutOffOptions) {
  const valueOf = (seconds: number): string => Math.max(SHORTEST_SECONDS, seconds + GRACE_SECONDS).toFixed(3);

  /** On both legs: without a driver the second leg would not end with the first. */
  async function set({ a, b }: Legs, call: LiveCall & { answeredAt: Date }): Promise<void> {
    const value = valueOf((cutOffAt(call, maximumSeconds).getTime() - now().getTime()) / 1000);
    await Promise.all(
      [a, b].map(async (channelId) => {
        try {
          if (channelId !== undefined) await ari.setVariable(channelId, VARIABLE, value);
        } catch (error) {
          // The end of a leg that has gone is reported as an event.
          if (!isGone(error)) throw error;
        }
      }),
    );
  }

  return {
    set,
    /** A failure is only logged: the call keeps the limit it was created with, and the driver cuts it in time. */
    async tryToSet(legs: Legs, answeredAt: Date): Promise<void> {
      try {
        await set(legs, { ...legs.call, answeredAt });
      } catch (error) {
        log.warn({ err: error, callId: legs.call.id }, 'the switch could not be told when to cut a call');
      }
    },
    /** The limit of a new leg, in case no replica is connected when the call is answered. */
    atMost: ({ grantedSeconds }: LiveCall): Record<string, string> => ({
      [VARIABLE]: valueOf(dialSeconds + Math.min(grantedSeconds ?? maximumSeconds, maximumSeconds)),
    }),
  };
}
