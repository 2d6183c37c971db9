import type { LiveCall } from '../../domain/live-call';
import { aChannelOf } from './call-legs';

/** What is known of a call on the switch. Rebuilt from the database and the list of channels after each reconnection. */
export interface Legs {
  call: LiveCall;
  a: string;
  aUp: boolean;
  /** The callee's channel of the current attempt. */
  b: string | undefined;
  /** The callee's channel was dialled, and must not be dialled again. */
  dialled: boolean;
  attempt: number;
  answered: boolean;
  /** The bridge exists, and the caller is in it. */
  bridged: boolean;
  /** The caller id on the caller's channel. */
  shown?: string;
  /** Runs until the callee's side responds. */
  patience?: NodeJS.Timeout;
}

export type LegBook = ReturnType<typeof createLegBook>;

/** The calls on the switch, by id and by channel. */
export function createLegBook() {
  const calls = new Map<string, Legs>();
  const byChannel = new Map<string, Legs>();

  /** Further events of its channel belong to no call. */
  function forgetCallee({ b, patience }: Legs): void {
    if (b !== undefined) byChannel.delete(b);
    clearTimeout(patience);
  }

  return {
    has: (callId: string): boolean => calls.has(callId),
    of: (callId: string): Legs | undefined => calls.get(callId),
    ofChannel: (channelId: string): Legs | undefined => byChannel.get(channelId),
    /** False: the call has ended in the meantime, or was entered again. */
    holds: (legs: Legs): boolean => calls.get(legs.call.id) === legs,

    enter(call: LiveCall): Legs {
      const legs: Legs = {
        call,
        a: aChannelOf(call),
        aUp: false,
        b: undefined,
        dialled: false,
        attempt: call.attempt,
        answered: call.answeredAt !== null,
        bridged: false,
      };
      calls.set(call.id, legs);
      byChannel.set(legs.a, legs);
      return legs;
    },

    setCallee(legs: Legs, channelId: string): void {
      legs.b = channelId;
      byChannel.set(channelId, legs);
    },

    forgetCallee,

    remove(legs: Legs): void {
      calls.delete(legs.call.id);
      byChannel.delete(legs.a);
      forgetCallee(legs);
    },

    clear(): void {
      calls.forEach(forgetCallee);
      calls.clear();
      byChannel.clear();
    },
  };
}
