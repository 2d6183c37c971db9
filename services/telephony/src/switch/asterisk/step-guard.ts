import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { HangupCause } from '../../domain/hangup-cause';
import { AriError, isGone } from './ari-http';
import type { LegBook, Legs } from './leg-book';

export interface StepGuardOptions {
  book: LegBook;
  finish: (legs: Legs, cause: HangupCause) => Promise<void>;
  /** How often the stream of events was lost. */
  losses: () => number;
  log: Logger;
}

export type StepGuard = ReturnType<typeof createStepGuard>;

/** Requests and the stream of events break at the same moment, in either order. */
const LOSS_MS = 500;

/** Keeps track of the steps in progress on the switch. A step that fails ends the call, so that no party is left in silence. */
export function createStepGuard({ book, finish, losses, log }: StepGuardOptions) {
  const stepsUnderWay = new Set<Promise<void>>();

  async function underWay(step: Promise<void>): Promise<void> {
    stepsUnderWay.add(step);
    try {
      await step;
    } finally {
      stepsUnderWay.delete(step);
    }
  }

  /**
   * After a lost connection it is unknown what was done. The call continues from the state of the switch after the reconnection, or
   * elsewhere if the switch stays away.
   */
  async function fellIntoLoss(error: unknown, lossesBefore: number): Promise<boolean> {
    if (isAnswered(error)) {
      return false;
    }
    await delay(LOSS_MS);
    return losses() !== lossesBefore;
  }

  async function attempted(legs: Legs, work: () => Promise<void>): Promise<void> {
    const lossesBefore = losses();
    try {
      await work();
    } catch (error) {
      if (!book.holds(legs) || (await fellIntoLoss(error, lossesBefore)) || !book.holds(legs)) {
        return;
      }
      log.warn({ err: error, callId: legs.call.id }, 'a step of a call failed on the switch');
      await finish(legs, causeOfFailure(error, legs));
    }
  }

  return {
    underWay,
    fellIntoLoss,
    guarded: (legs: Legs, work: () => Promise<void>): Promise<void> => underWay(attempted(legs, work)),
    get isIdle(): boolean {
      return stepsUnderWay.size === 0;
    },
    /** Resolves when all steps that were begun before are done. */
    async settled(): Promise<void> {
      await Promise.allSettled(stepsUnderWay);
    },
  };
}

const isAnswered = (error: unknown): boolean => !(error instanceof AriError) || error.status !== undefined;

function causeOfFailure(error: unknown, { answered }: Legs): HangupCause {
  if (!isAnswered(error)) {
    return 'NETWORK_OUT_OF_ORDER';
  }
  if (answered) {
    return 'NORMAL_CLEARING';
  }
  // The channel was hung up in the meantime.
  return isGone(error) ? 'ORIGINATOR_CANCEL' : 'NORMAL_TEMPORARY_FAILURE';
}
