import type { LiveCall } from '../../domain/live-call';
import { aChannelOf } from './call-legs';

/** What is known of a call on the switch. Rebuilt from the database and the list of channels whenever that is in doubt. */
export interface Legs {
  call: LiveCall;
  a: string;
  aUp: boolean;
  /** The callee's channel of the present attempt. */
  b: string | undefined;
  /** It was told to call, so that it is not told twice. */
  dialled: boolean;
  attempt: number;
  answered: boolean;
  /** The caller is in the bridge, so there is one. */
  bridged: boolean;
  /** The number that the caller's channel bears. */
  shown?: string;
  /** Ends when the callee's side says something. */
  patience?: NodeJS.Timeout;
}

export type LegBook = ReturnType<typeof createLegBook>;

/** Which calls there are, and which of them a channel belongs to. */
export function createLegBook() {
  const calls = new Map<string, Legs>();
  const byChannel = new Map<string, Legs>();

  /** What its channel still tells is about no call any more. */
  function forgetCallee({ b, patience }: Legs): void {
    if (b !== undefined) byChannel.delete(b);
    clearTimeout(patience);
  }

  return {
    has: (callId: string): boolean => calls.has(callId),
    of: (callId: string): Legs | undefined => calls.get(callId),
    ofChannel: (channelId: string): Legs | undefined => byChannel.get(channelId),
    /** False: it has ended meanwhile, or was begun anew. */
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
