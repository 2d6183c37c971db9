import type { SipMessage } from '../../../domain/sip-message';

export interface Dialogue {
  messages: SipMessage[];
  /** Messages of it so far. */
  count: number;
  /** When the first of the messages above came, and when the last one. */
  since: number;
  heardAt: number;
}

/** Dialogues by their SIP Call-ID, at most `most`: the oldest makes room. Counts the messages of all of them. */
export function createDialogueShelf<T extends Dialogue>({ most }: { most: number }) {
  const dialogues = new Map<string, T>();
  let messages = 0;

  function remove(sipCallId: string): void {
    messages -= dialogues.get(sipCallId)?.messages.length ?? 0;
    dialogues.delete(sipCallId);
  }

  function deleteOldest(): void {
    const [oldest] = dialogues.keys();
    if (oldest !== undefined) remove(oldest);
  }

  return {
    get messages() {
      return messages;
    },
    get: (sipCallId: string): T | undefined => dialogues.get(sipCallId),
    entries: () => dialogues.entries(),
    delete: remove,
    deleteOldest,

    set(sipCallId: string, dialogue: T): T {
      remove(sipCallId);
      if (dialogues.size >= most) deleteOldest();
      dialogues.set(sipCallId, dialogue);
      messages += dialogue.messages.length;
      return dialogue;
    },

    add(dialogue: T, message: SipMessage, at: number): void {
      dialogue.heardAt = at;
      if (dialogue.messages.length === 0) dialogue.since = at;
      dialogue.messages.push(message);
      dialogue.count += 1;
      messages += 1;
    },

    /** Takes the messages out of a dialogue. */
    empty(dialogue: T): SipMessage[] {
      const taken = dialogue.messages;
      dialogue.messages = [];
      messages -= taken.length;
      return taken;
    },
  };
}
