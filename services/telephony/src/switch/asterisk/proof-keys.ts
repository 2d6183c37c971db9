import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import { CODE_DIGITS } from '../../domain/number-proof';
import type { AriClient } from './ari-client';
import { bridgeOf } from './call-legs';
import type { CallSteps } from './call-steps';
import type { LegBook, Legs } from './leg-book';
import type { StepGuard } from './step-guard';

/** What became of a code: the number is proven, another try is left, or none is. */
export type CodeVerdict = 'right' | 'wrong' | 'over';

/** Checks what was keyed in during the call of a proof. */
export type TryCode = (callId: string, code: string) => Promise<CodeVerdict>;

export interface ProofKeysOptions {
  ari: Pick<AriClient, 'playOnBridge'>;
  book: Pick<LegBook, 'holds'>;
  steps: Pick<CallSteps, 'note' | 'finish'>;
  guard: Pick<StepGuard, 'guarded'>;
  tryCode: TryCode;
  log: Logger;
  now: () => Date;
}

/** A dialplan that picks up and beeps; the call of a proof has it in place of an extension. */
export const PROMPT = 'Local/prompt@number-proof/n';

/** From the answer on; long enough to look the code up and to try it three times. */
const TYPING_MS = 60_000;
/** Sounds that need no words. */
const sounds: Record<CodeVerdict, string> = {
  right: 'sound:ascending-2tone',
  wrong: 'sound:beeperr',
  over: 'sound:descending-2tone',
};
const LAST_SOUND_MS = 1_500;
/** After so long without a key a code begins anew: one whose key was lost must not spoil the next. */
const PAUSE_MS = 4_000;

/** Listens to the keys that are pressed during the call of a proof. They are kept nowhere, and never logged. */
export function createProofKeys({ ari, book, steps, guard, tryCode, log, now }: ProofKeysOptions) {
  const typed = new WeakMap<Legs, { code: string; at: number }>();

  async function play(legs: Legs, verdict: CodeVerdict): Promise<void> {
    const playbackId = `${legs.call.id}-${verdict}-${now().getTime()}`;
    await ari.playOnBridge(bridgeOf(legs.call.id), { media: sounds[verdict], playbackId });
  }

  async function submit(legs: Legs, code: string): Promise<void> {
    let verdict: CodeVerdict;
    try {
      verdict = await tryCode(legs.call.id, code);
    } catch (error) {
      log.warn({ err: error, callId: legs.call.id }, 'a code could not be checked; it may be keyed in again');
      await play(legs, 'wrong');
      return;
    }
    steps.note(legs, verdict === 'right' ? 'the right code was keyed in' : 'a wrong code was keyed in');
    await play(legs, verdict);
    if (verdict !== 'wrong') {
      await delay(LAST_SOUND_MS);
      await steps.finish(legs, 'NORMAL_CLEARING');
    }
  }

  return {
    /** The destination has answered, or was found to have answered. */
    begin(legs: Legs): void {
      const end = (): void => {
        if (book.holds(legs)) void guard.guarded(legs, () => steps.finish(legs, 'NORMAL_CLEARING'));
      };
      setTimeout(end, TYPING_MS).unref();
    },
    /** Star and hash begin the code anew. */
    async press(legs: Legs, key: string): Promise<void> {
      const at = now().getTime();
      const before = typed.get(legs);
      const begun = before !== undefined && at - before.at <= PAUSE_MS ? before.code : '';
      const code = /^\d$/.test(key) ? begun + key : '';
      const isWhole = code.length === CODE_DIGITS;
      typed.set(legs, { code: isWhole ? '' : code, at });
      if (isWhole) await submit(legs, code);
    },
  };
}
