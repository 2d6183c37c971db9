import type { Memory } from './memory';
import type { Subject } from './observable';
import type { EndCause, MissedCall, PhoneCall, PhoneSnapshot } from './snapshot';

export interface CallStateOptions {
  subject: Subject<PhoneSnapshot>;
  memory: Memory;
}

export type NewCall = Pick<PhoneCall, 'direction' | 'number' | 'phase'> & Partial<PhoneCall>;
export type CallState = ReturnType<typeof createCallState>;

/** The one call that a phone can have, as the page sees it and as the next page finds it. */
export function createCallState({ subject, memory }: CallStateOptions) {
  let turn = 0;

  const current = (): PhoneCall | undefined => subject.get().call;
  const owner = () => subject.get().extension ?? { ramal: '', domain: '' };
  const ramal = (): string => owner().ramal;

  /** A new page finds what it needs to bring the user back into the call. */
  function keep({ id, leg, phase, direction, placedElsewhere, number, name, answeredAt, muted }: PhoneCall): void {
    if (id === undefined || phase === 'placing' || phase === 'ringing') return;
    memory.write({ call: { id, ...owner(), leg, direction, placedElsewhere, number, name, answeredAt, muted } });
  }

  return {
    current,
    ramal,

    /** Differs from call to call, so that a late answer is not taken for the answer to another call. */
    turn: (): number => turn,

    begin(call: NewCall): void {
      turn += 1;
      subject.update({
        lastEnded: undefined,
        call: {
          ...{
            id: undefined,
            leg: undefined,
            placedElsewhere: false,
            name: undefined,
            muted: false,
            held: false,
            media: 'flowing',
          },
          ...{ answeredAt: undefined, transferringTo: undefined, quality: undefined },
          ...call,
        },
      });
    },

    change(changes: Partial<PhoneCall>): void {
      const call = current();
      if (call === undefined) return;
      const changed = { ...call, ...changes };
      subject.update({ call: changed });
      keep(changed);
    },

    end({ id, direction, number, name, answeredAt }: PhoneCall, cause: EndCause, message?: string): void {
      turn += 1;
      memory.write({ call: undefined });
      const seconds = answeredAt === undefined ? 0 : Math.round((Date.now() - answeredAt) / 1000);
      subject.update({
        call: undefined,
        lastEnded: { id, direction, number, name, answered: answeredAt !== undefined, seconds, cause, message },
      });
    },

    /** Replaces the cause of the call that ended last, if it was this one. False: it was not. */
    explain(id: string, cause?: EndCause): boolean {
      const { lastEnded } = subject.get();
      if (lastEnded?.id !== id) return false;
      if (cause !== undefined) subject.update({ lastEnded: { ...lastEnded, cause } });
      return true;
    },

    miss: (call: MissedCall): void => subject.update({ missed: [...subject.get().missed, call] }),

    /** Another tab goes on with the call. */
    forget(): void {
      turn += 1;
      subject.update({ call: undefined, lastEnded: undefined });
    },
  };
}

export const hungUp = (code: string): EndCause => ({ kind: 'hangup', code });
export const ofPhone = (code: (EndCause & { kind: 'phone' })['code']): EndCause => ({ kind: 'phone', code });
