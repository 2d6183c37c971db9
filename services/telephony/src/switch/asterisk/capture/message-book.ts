import type { LegMessages, SipMessage } from '../../../domain/sip-message';

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

interface Dialogue {
  messages: SipMessage[];
  /** Messages of it so far. */
  count: number;
  /** When the first of the messages above came, and when the last one. */
  since: number;
  heardAt: number;
}
interface OwnDialogue extends Dialogue {
  callId: string;
  leg: string;
  goneAt?: number;
}

/** A dialogue that belongs to no call by then is a stranger's: someone who tries passwords, for example. */
const STRANGER_MS = 10_000;
const MOST_STRANGERS = 5_000;
/** Far more than a switch has legs. */
const MOST_LEGS = 100_000;
/** Messages that are repeated come for half a minute. */
const LINGER_MS = 35_000;
const MOST_MESSAGES = 200;
/** A leg is written when nothing has come for a while, and not later than this. */
const QUIET_MS = 1_000;
const LATEST_MS = 2_000;

export type MessageBook = ReturnType<typeof createMessageBook>;

/** Gathers SIP messages by dialogue until it is known whose they are. All of it is bounded. */
export function createMessageBook({ now }: { now: () => number }) {
  const strangers = new Map<string, Dialogue>();
  const ours = new Map<string, OwnDialogue>();

  function dialogueOf(sipCallId: string): Dialogue {
    const known = ours.get(sipCallId) ?? strangers.get(sipCallId);
    if (known !== undefined) return known;
    const stranger: Dialogue = { messages: [], count: 0, since: now(), heardAt: now() };
    keep(strangers, sipCallId, stranger, MOST_STRANGERS);
    return stranger;
  }

  return {
    add(sipCallId: string, message: SipMessage): void {
      const dialogue = dialogueOf(sipCallId);
      if (dialogue.count >= MOST_MESSAGES) return;
      dialogue.heardAt = now();
      if (dialogue.messages.length === 0) dialogue.since = dialogue.heardAt;
      dialogue.messages.push(message);
      dialogue.count += 1;
    },

    join({ sipCallId, callId, leg, gone }: KnownLeg): void {
      const known = ours.get(sipCallId) ?? { ...dialogueOf(sipCallId), callId, leg };
      if (gone) known.goneAt ??= now();
      strangers.delete(sipCallId);
      keep(ours, sipCallId, known, MOST_LEGS);
    },

    /** The messages that are to be written; `all`: without waiting for more. */
    take({ all = false } = {}): CallMessages[] {
      const at = now();
      const due: CallMessages[] = [];
      for (const [sipCallId, dialogue] of ours) {
        const { callId, leg, messages, since, heardAt, goneAt } = dialogue;
        if (messages.length > 0 && (all || at - heardAt >= QUIET_MS || at - since >= LATEST_MS)) {
          due.push({ callId, leg, messages });
          dialogue.messages = [];
        }
        if (goneAt !== undefined && at - goneAt >= LINGER_MS) ours.delete(sipCallId);
      }
      for (const [sipCallId, { heardAt }] of strangers) {
        if (at - heardAt >= STRANGER_MS) strangers.delete(sipCallId);
      }
      return due;
    },
  };
}

/** The oldest entry makes room. */
function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  if (map.size >= most && !map.has(key)) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}
