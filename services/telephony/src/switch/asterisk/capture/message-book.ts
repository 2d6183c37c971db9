import type { LegMessages, SipMessage } from '../../../domain/sip-message';
import { createDialogueShelf } from './dialogue-shelf';
import type { Dialogue } from './dialogue-shelf';

/** Which leg of which call a SIP dialogue is. */
export interface KnownLeg {
  sipCallId: string;
  callId: string;
  leg: string;
  /** The leg has ended. */
  gone: boolean;
}

export interface CallMessages extends LegMessages {
  callId: string;
}

interface OwnDialogue extends Dialogue {
  callId: string;
  leg: string;
  goneAt?: number;
}

/** A dialogue that belongs to no call by then is a stranger's: someone who tries passwords, for example. */
const STRANGER_MS = 10_000;
const MOST_STRANGERS = 5_000;
/** More than pass until it is known whose a dialogue is. */
const MOST_OF_STRANGER = 20;
/** Of all strangers together; about 10 MB. */
const MOST_OF_STRANGERS = 20_000;
/** Far more than a switch has legs. */
const MOST_LEGS = 100_000;
/** Messages that are repeated come for half a minute. */
const LINGER_MS = 35_000;
const MOST_OF_LEG = 200;
/** Of all legs together; far more than come between two rounds of writing. */
const MOST_OF_LEGS = 50_000;
/** A leg is written when nothing has come for a while, and not later than this. */
const QUIET_MS = 1_000;
const LATEST_MS = 2_000;

export type MessageBook = ReturnType<typeof createMessageBook>;

/** Gathers SIP messages by dialogue until it is known whose they are. All of it is bounded. */
export function createMessageBook({ now }: { now: () => number }) {
  const strangers = createDialogueShelf<Dialogue>({ most: MOST_STRANGERS });
  const ours = createDialogueShelf<OwnDialogue>({ most: MOST_LEGS });

  function begin(): Dialogue {
    return { messages: [], count: 0, since: now(), heardAt: now() };
  }

  function addToStranger(sipCallId: string, message: SipMessage): void {
    if ((strangers.get(sipCallId)?.count ?? 0) >= MOST_OF_STRANGER) return;
    if (strangers.messages >= MOST_OF_STRANGERS) strangers.deleteOldest();
    strangers.add(strangers.get(sipCallId) ?? strangers.set(sipCallId, begin()), message, now());
  }

  return {
    add(sipCallId: string, message: SipMessage): void {
      const own = ours.get(sipCallId);
      if (own === undefined) addToStranger(sipCallId, message);
      else if (own.count < MOST_OF_LEG && ours.messages < MOST_OF_LEGS) ours.add(own, message, now());
    },

    join({ sipCallId, callId, leg, gone }: KnownLeg): void {
      const known =
        ours.get(sipCallId) ?? ours.set(sipCallId, { ...(strangers.get(sipCallId) ?? begin()), callId, leg });
      strangers.delete(sipCallId);
      if (gone) known.goneAt ??= now();
    },

    /** The messages that are to be written; `all`: without waiting for more. */
    take({ all = false } = {}): CallMessages[] {
      const at = now();
      const due: CallMessages[] = [];
      for (const [sipCallId, dialogue] of ours.entries()) {
        const { callId, leg, since, heardAt, goneAt } = dialogue;
        if (dialogue.messages.length > 0 && (all || at - heardAt >= QUIET_MS || at - since >= LATEST_MS)) {
          due.push({ callId, leg, messages: ours.empty(dialogue) });
        }
        if (goneAt !== undefined && at - goneAt >= LINGER_MS) ours.delete(sipCallId);
      }
      for (const [sipCallId, { heardAt }] of strangers.entries()) {
        if (at - heardAt >= STRANGER_MS) strangers.delete(sipCallId);
      }
      return due;
    },
  };
}
