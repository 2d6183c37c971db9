import type { PhoneApi } from './api';
import { hungUp, ofPhone } from './call-state';
import type { CallState } from './call-state';
import type { EndCause } from './snapshot';

export interface CallFollowerOptions {
  api: PhoneApi;
  state: CallState;
  /** The phone is registered, so that the switch can call it. */
  isConnected: () => boolean;
  hasLeg: () => boolean;
  /** The record says that the call is over, or the phone could not be brought back into it. */
  onOver: (cause: EndCause) => void;
}

const LOOK_MS = 1_000;
const LOOKS_AFTER_END = 5;
/** A leg that the switch was asked for comes within this time, or never. */
const LEG_MS = 15_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Follows the record of a call at the API, for what its leg alone cannot tell. */
export function createCallFollower({ api, state, isConnected, hasLeg, onOver }: CallFollowerOptions) {
  let look: ReturnType<typeof setTimeout> | undefined;
  let legDue: ReturnType<typeof setTimeout> | undefined;

  /** Only the record knows when the other side of a call of ours answers: our own leg is up from the start. */
  async function watchAnswer(): Promise<void> {
    clearTimeout(look);
    const mine = state.turn();
    const id = state.current()?.id;
    if (id === undefined || state.current()?.phase !== 'calling') return;
    const record = await api.findCall(id).catch(() => undefined);
    if (mine !== state.turn() || state.current()?.phase !== 'calling') return;
    if (record?.status === 'answered' && hasLeg()) state.change({ phase: 'talking', answeredAt: Date.now() });
    else if (record?.status === 'ended') onOver(hungUp(record.hangup_cause ?? 'NORMAL_UNSPECIFIED'));
    else look = setTimeout(() => void watchAnswer(), LOOK_MS);
  }

  /** True: the switch is calling, or the call is over. */
  async function askBack(id: string): Promise<boolean> {
    const mine = state.turn();
    try {
      const record = await api.findCall(id);
      if (mine !== state.turn()) return true;
      if (record === undefined || record.status === 'ended') {
        onOver(record === undefined ? ofPhone('lost') : hungUp(record.hangup_cause ?? 'NORMAL_UNSPECIFIED'));
        return true;
      }
      if (record.status !== 'answered') return false;
      state.change({ answeredAt: state.current()?.answeredAt ?? Date.parse(record.answered_at ?? '') });
      await api.transfer(id, { from: state.ramal(), to: state.ramal() });
      return true;
    } catch {
      return false;
    }
  }

  return {
    watchAnswer,

    /** The switch calls this phone once more and puts it in the place of its lost leg. */
    async rejoin(id: string): Promise<void> {
      state.change({ phase: 'rejoining', media: 'reconnecting', transferringTo: undefined });
      const mine = state.turn();
      clearTimeout(legDue);
      legDue = setTimeout(() => {
        // The other side would wait for somebody who does not come back.
        void api.hangUp(id).catch(() => undefined);
        onOver(ofPhone('lost'));
      }, LEG_MS);
      while (mine === state.turn() && state.current()?.phase === 'rejoining' && !hasLeg()) {
        if (isConnected() && (await askBack(id))) return;
        await pause(LOOK_MS / 2);
      }
    },

    legCame: () => clearTimeout(legDue),

    /** The record knows more than the leg: credit that was used up looks like a normal end from here. */
    async refineCause(id: string): Promise<void> {
      for (let nth = 0; nth < LOOKS_AFTER_END; nth++) {
        const record = await api.findCall(id).catch(() => undefined);
        if (!state.explain(id, record?.hangup_cause ? hungUp(record.hangup_cause) : undefined)) return;
        if (record?.hangup_cause) return;
        await pause(LOOK_MS);
      }
    },

    stop(): void {
      clearTimeout(look);
      clearTimeout(legDue);
    },
  };
}
