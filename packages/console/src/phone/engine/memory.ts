/** A call that a new page can be brought back into. */
export interface KeptCall {
  id: string;
  ramal: string;
  domain: string;
  leg: number | undefined;
  direction: 'incoming' | 'outgoing';
  placedElsewhere: boolean;
  number: string;
  name: string | undefined;
  answeredAt: number | undefined;
  muted: boolean;
}

/** What the phone of a user remembers from page to page, in this browser only. */
export interface PhoneMemory {
  call: KeptCall | undefined;
  microphoneId: string;
  speakerId: string;
  answersClickToCall: boolean;
  lastDialled: string | undefined;
}

const nothing: PhoneMemory = {
  call: undefined,
  microphoneId: '',
  speakerId: '',
  answersClickToCall: false,
  lastDialled: undefined,
};

/** `user`: a browser may have several, one after the other. */
export function createMemory(storage: Pick<Storage, 'getItem' | 'setItem'>, user: string) {
  const key = `sabia.phone.${user}`;

  function read(): PhoneMemory {
    try {
      const kept: unknown = JSON.parse(storage.getItem(key) ?? '{}');
      return { ...nothing, ...(typeof kept === 'object' ? kept : {}) };
    } catch {
      return nothing;
    }
  }
  return {
    read,
    /** Other tabs write, too: only what is named is changed. */
    write(changes: Partial<PhoneMemory>): void {
      try {
        storage.setItem(key, JSON.stringify({ ...read(), ...changes }));
      } catch {
        // A full or forbidden storage: the phone works, and forgets.
      }
    },
  };
}

export type Memory = ReturnType<typeof createMemory>;
