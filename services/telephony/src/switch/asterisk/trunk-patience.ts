import { patienceOf } from '../../domain/trunk';
import type { AriClient } from './ari-client';
import type { CallSteps } from './call-steps';
import { presentTrunk } from './leg-book';
import type { LegBook, Legs } from './leg-book';
import type { StepGuard } from './step-guard';

export interface TrunkPatienceOptions {
  ari: Pick<AriClient, 'hangup'>;
  book: LegBook;
  steps: Pick<CallSteps, 'note' | 'tryNext' | 'hasNext'>;
  guard: Pick<StepGuard, 'guarded'>;
}

/**
 * Leaves a silent trunk for the next one, if there is one. SIP itself would wait for half a minute, and for ever once the carrier
 * has sent 100 Trying.
 */
export function createTrunkPatience({ ari, book, steps, guard }: TrunkPatienceOptions) {
  async function leave(legs: Legs, channelId: string): Promise<void> {
    if (book.ofChannel(channelId) !== legs) {
      return;
    }
    steps.note(legs, 'no word from the trunk', { attempt: legs.attempt });
    book.forgetCallee(legs);
    try {
      await ari.hangup(channelId);
    } catch {
      // Asterisk is out of reach for a moment: its calls may outlive that.
      book.setCallee(legs, channelId);
      begin(legs, channelId);
      return;
    }
    await steps.tryNext(legs);
  }

  function begin(legs: Legs, channelId: string): void {
    const trunk = presentTrunk(legs);
    if (trunk !== undefined && steps.hasNext(legs) && book.ofChannel(channelId) === legs) {
      clearTimeout(legs.patience);
      legs.patience = setTimeout(() => void guard.guarded(legs, () => leave(legs, channelId)), patienceOf(trunk));
    }
  }

  return {
    begin,
    /** The callee rings, or there is early audio: the trunk works. */
    end: ({ patience }: Legs): void => clearTimeout(patience),
  };
}
