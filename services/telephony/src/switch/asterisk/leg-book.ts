import { trunkOf } from '../../domain/live-call';
import type { LiveCall, Side } from '../../domain/live-call';
import type { Trunk } from '../../domain/trunk';
import type { RouteTo } from '../../domain/trunk-route';
import { aChannelOf } from './call-legs';

/** What is known of a call on the switch. Rebuilt from the database and the list of channels after each reconnection. */
export interface Legs {
  call: LiveCall;
  a: string;
  /** The caller's phone was dialled, and must not be dialled again. */
  aDialled: boolean;
  aUp: boolean;
  /** The callee's channel of the current attempt. */
  b: string | undefined;
  /** The callee's channel was dialled, and must not be dialled again. */
  dialled: boolean;
  attempt: number;
  /** The trunks that lead to the callee, in the order in which they are tried; empty for calls within the account. */
  route: readonly Trunk[];
  /** The names of those that were tried, the present one last. */
  tried: readonly string[];
  answered: boolean;
  /** The bridge exists, and the caller is in it. */
  bridged: boolean;
  /** The caller id on the caller's channel. */
  shown?: string;
  /** An extension that is being called to take a leg over. */
  transfer?: Transfer;
  /** Runs until the callee's side responds. */
  patience?: NodeJS.Timeout;
}

/** The trunk of the present attempt. */
export const presentTrunk = ({ route, tried }: Legs): Trunk | undefined =>
  route.find(({ name }) => name === tried.at(-1));

/** A leg is there whose phone, or carrier, was not asked yet. */
export const hasUndialled = ({ aDialled, aUp, b, dialled, answered }: Legs): boolean =>
  (!aDialled && !aUp) || (b !== undefined && !dialled && !answered);

export const untriedOf = ({ route, tried }: Legs): Trunk[] => route.filter(({ name }) => !tried.includes(name));

export interface Transfer {
  side: Side;
  ramal: string;
  channel: string;
  /** The leg that it is to replace has ended already: the other party waits. */
  isAwaited: boolean;
}

export type LegBook = ReturnType<typeof createLegBook>;

/** The calls on the switch, by id and by channel. */
export function createLegBook({ routeTo }: { routeTo: RouteTo }) {
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
    some: (is: (legs: Legs) => boolean): boolean => [...calls.values()].some(is),
    /** False: the call has ended in the meantime, or was entered again. */
    holds: (legs: Legs): boolean => calls.get(legs.call.id) === legs,

    enter(call: LiveCall): Legs {
      const route = call.type === 'outbound' ? routeTo(call.to) : [];
      const legs: Legs = {
        call,
        a: aChannelOf(call),
        aDialled: false,
        aUp: false,
        b: undefined,
        dialled: false,
        attempt: call.attempt,
        route,
        tried: call.trunks ?? route.slice(0, trunkOf(call.attempt) + 1).map(({ name }) => name),
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

    setTransfer(legs: Legs, transfer: Transfer): void {
      this.forgetTransfer(legs);
      legs.transfer = transfer;
      byChannel.set(transfer.channel, legs);
    },

    forgetTransfer(legs: Legs): void {
      if (legs.transfer !== undefined) byChannel.delete(legs.transfer.channel);
      legs.transfer = undefined;
    },

    /** The leg of the extension takes the place of the one before. Returns the name of that one. */
    replaceLeg(legs: Legs, { side, channel }: Transfer): string | undefined {
      const former = side === 'a' ? legs.a : legs.b;
      if (former !== undefined) byChannel.delete(former);
      if (side === 'a') legs.a = channel;
      else legs.b = channel;
      legs.transfer = undefined;
      byChannel.set(channel, legs);
      return former;
    },

    remove(legs: Legs): void {
      calls.delete(legs.call.id);
      byChannel.delete(legs.a);
      if (legs.transfer !== undefined) byChannel.delete(legs.transfer.channel);
      forgetCallee(legs);
    },

    clear(): void {
      calls.forEach(forgetCallee);
      calls.clear();
      byChannel.clear();
    },
  };
}
