import type { Logger } from '@sabia/service-kit/logging';
import { causeOfCalleeGone, causeOfCallerGone, q850Of } from '../../domain/hangup-cause';
import type { HangupCause } from '../../domain/hangup-cause';
import { CALLEE_CALLED } from '../../domain/live-call';
import type { LiveCall } from '../../domain/live-call';
import { mayTryNext } from '../../domain/trunk';
import type { SwitchEvent } from '../port';
import type { AriClient } from './ari-client';
import { AriError } from './ari-http';
import type { ChannelDestroyed } from './ari-types';
import { bridgeOf, calleeOf, endpointAt, namingPlacing } from './call-legs';
import type { WayToCarrier } from './carrier-edges';
import type { CutOff } from './cut-off';
import { presentTrunk, untriedOf } from './leg-book';
import type { LegBook, Legs } from './leg-book';
import type { Failover } from './next-trunk';
import type { Recorder } from './recorder';
import type { SureHangup } from './sure-hangup';
import { createTrunkWays } from './trunk-ways';

export interface CallStepsOptions {
  ari: AriClient;
  tell: (event: SwitchEvent) => void;
  nextTrunk: (call: LiveCall, failover: Failover) => Promise<string | undefined>;
  wayToCarrier: WayToCarrier;
  /** Limit of an unanswered call, longer than the driver waits. */
  dialSeconds: number;
  book: LegBook;
  sure: Pick<SureHangup, 'hangUp'>;
  cutOff: CutOff;
  recorder: Pick<Recorder, 'begin'>;
  log: Logger;
  now: () => Date;
}

type Detail = Record<string, unknown>;
type Burial = Pick<SwitchEvent & { kind: 'gone' }, 'cause' | 'left' | 'seenAt' | 'wasCancelled'>;

/** Variable on the caller's channel: the trunk that was tried last. */
const ATTEMPT = 'SABIA_ATTEMPT';
/** The SIP status of a leg that was cancelled while it rang: by an edge or a carrier, as telephony forgets those that it ends itself. */
const CANCELLED = 487;

export type CallSteps = ReturnType<typeof createCallSteps>;

/** The steps of a call on the switch. */
export function createCallSteps(options: CallStepsOptions) {
  const { ari, tell, nextTrunk, wayToCarrier, dialSeconds, book, sure, cutOff, recorder, log, now } = options;

  const endpointOfTrunk = createTrunkWays({ ari });

  const note = ({ call }: Legs, message: string, { at = now(), ...detail }: { at?: Date } & Detail = {}): void =>
    tell({ kind: 'leg', callId: call.id, at, message, ...(Object.keys(detail).length > 0 && { detail }) });

  /**
   * Ends a call once and clears away what is left of it on the switch. `first`: the leg that has ended by itself, and when. Without
   * it the call ends now, unless it turns out that it had ended already.
   */
  async function finish(legs: Legs, cause: HangupCause, first?: { leg: string; at: Date }): Promise<void> {
    const { call, a, b, transfer } = legs;
    if (!book.holds(legs)) {
      return;
    }
    book.remove(legs);
    if (first !== undefined) {
      tell({ kind: 'ended', callId: call.id, at: first.at, cause });
    }
    const at = now();
    const left = [a, b, transfer?.channel].filter((channelId) => channelId !== undefined && channelId !== first?.leg);
    const found = await Promise.all(left.map((channelId) => sure.hangUp(channelId!, q850Of(cause))));
    if (first === undefined) {
      const wasOver = legs.answered && found.every((was) => was === false);
      tell(wasOver ? { kind: 'gone', callId: call.id, call, cause } : { kind: 'ended', callId: call.id, at, cause });
    }
    await ari.destroyBridge(bridgeOf(call.id)).catch(() => undefined);
  }

  /**
   * One or both legs have gone while no replica was connected, or because an edge took the node for lost: clears away the rest. The
   * switch has recorded when that was.
   */
  async function bury(legs: Legs, gone: Burial): Promise<void> {
    const call = { ...legs.call, attempt: legs.attempt };
    book.remove(legs);
    tell({ kind: 'gone', callId: call.id, call, ...(call.seenAt && { seenAt: call.seenAt }), ...gone });
    if (gone.left !== undefined) await sure.hangUp(gone.left, q850Of(gone.cause));
    await ari.destroyBridge(bridgeOf(call.id)).catch(() => undefined);
  }

  /** Makes the callee's channel on the current trunk; it is dialled only once both legs are in the bridge. */
  async function callCallee(legs: Legs): Promise<void> {
    for (;;) {
      const trunk = presentTrunk(legs);
      const callee = calleeOf(legs.call, trunk, legs.attempt);
      if (callee === undefined) {
        return finish(legs, 'NORMAL_CIRCUIT_CONGESTION');
      }
      const { channel, shown } = callee;
      book.setCallee(legs, channel.channelId);
      const way = trunk && (await wayToCarrier(trunk));
      // The call has ended in the meantime, or is the next driver's, who must not find an attempt that nobody makes.
      if (!book.holds(legs)) return;
      await Promise.all([
        // The next driver must know whether a missing callee had been called.
        ari.setVariable(legs.a, ATTEMPT, String(legs.attempt)),
        shown !== legs.shown && ari.setVariable(legs.a, 'CALLERID(num)', shown),
        legs.bridged || ari.createBridge(bridgeOf(legs.call.id)).catch(unlessThere),
      ]);
      legs.shown = shown;
      try {
        const overEdge = way && {
          endpoint: endpointAt(channel.endpoint, await endpointOfTrunk(trunk, way)),
          variables: namingPlacing(legs.call.id, legs.attempt),
        };
        const variables = { ...channel.variables, ...overEdge?.variables, ...cutOff.atMost(legs.call) };
        if (!book.holds(legs)) return;
        await ari.createChannel({ ...channel, ...overEdge, variables }).catch(unlessThere);
        note(legs, CALLEE_CALLED, {
          ...{ endpoint: channel.endpoint, attempt: legs.attempt },
          ...(way !== undefined && { edge: way.edge }),
        });
        return;
      } catch (error) {
        // Without a response it is unknown whether the channel exists: no other trunk is tried.
        if (error instanceof AriError && error.status === undefined) throw error;
        log.warn({ err: error, callId: legs.call.id, endpoint: channel.endpoint }, 'a leg could not be created');
        if (legs.call.type !== 'outbound') {
          return finish(legs, 'SUBSCRIBER_ABSENT');
        }
        if (untriedOf(legs).length === 0) {
          return finish(legs, 'NORMAL_CIRCUIT_CONGESTION');
        }
        if (!(await advance(legs))) return;
      }
    }
  }

  /** Moves on to the next trunk. False: the call has ended, or another process goes on with it. */
  async function advance(legs: Legs): Promise<boolean> {
    const { call, attempt, tried } = legs;
    book.forgetCallee(legs);
    legs.dialled = false;
    const name = await nextTrunk(call, { attempt, tried, untried: untriedOf(legs), isWanted: () => book.holds(legs) });
    if (name === undefined || !book.holds(legs)) {
      return false;
    }
    legs.attempt = attempt + 1;
    legs.tried = [...tried, name];
    return true;
  }

  const hasNext = (legs: Legs): boolean => !legs.answered && untriedOf(legs).length > 0;

  async function tryNext(legs: Legs): Promise<void> {
    if (await advance(legs)) await callCallee(legs);
  }

  /** The caller's phone rings from now on. */
  async function dialCaller(legs: Legs): Promise<void> {
    if (legs.aDialled) {
      return;
    }
    legs.aDialled = true;
    await ari.dial(legs.a, { timeout: dialSeconds });
  }

  async function callerUp(legs: Legs, at: Date): Promise<void> {
    if (legs.aUp) {
      return;
    }
    legs.aUp = true;
    note(legs, 'caller picked up', { at });
    await callCallee(legs);
  }

  async function dialCallee(legs: Legs, channelId: string): Promise<void> {
    if (legs.dialled) {
      return;
    }
    legs.dialled = true;
    await ari.addToBridge(bridgeOf(legs.call.id), legs.bridged ? [channelId] : [legs.a, channelId]);
    legs.bridged = true;
    await ari.dial(channelId, { caller: legs.a, timeout: dialSeconds });
  }

  async function calleeUp(legs: Legs, at: Date): Promise<void> {
    if (legs.answered) {
      return;
    }
    legs.answered = true;
    tell({ kind: 'answered', callId: legs.call.id, at });
    await Promise.all([cutOff.tryToSet(legs, at), legs.call.aChannel !== null && ari.answer(legs.a)]);
    await recorder.begin(legs);
  }

  async function calleeGone(
    legs: Legs,
    { cause, tech_cause: sipStatus, channel: { id: leg } }: ChannelDestroyed,
    at: Date,
  ): Promise<void> {
    note(legs, 'destination has gone', { at, cause, sipStatus });
    if (hasNext(legs) && mayTryNext({ cause, sipStatus })) {
      return tryNext(legs);
    }
    const why = causeOfCalleeGone(cause, legs);
    if (!legs.answered && sipStatus === CANCELLED) {
      return bury(legs, { cause: why, seenAt: at, left: legs.a, wasCancelled: true });
    }
    await finish(legs, why, { leg, at });
  }

  async function callerGone(
    legs: Legs,
    { cause, tech_cause: sipStatus, channel: { id: leg } }: ChannelDestroyed,
    at: Date,
  ): Promise<void> {
    note(legs, 'caller has gone', { at, cause, sipStatus });
    const { answered, aUp: pickedUp } = legs;
    const why = causeOfCallerGone(cause, { answered, pickedUp });
    if (!pickedUp && sipStatus === CANCELLED) return bury(legs, { cause: why, seenAt: at, wasCancelled: true });
    await finish(legs, why, { leg, at });
  }

  /**
   * A dialled channel stays down until the far end responds, which may take many seconds. But before it is dialled its local URI
   * has Asterisk's own name, and afterwards the caller's.
   */
  async function wasDialled(channelId: string): Promise<boolean> {
    const name = await ari.variable(channelId, 'CHANNEL(pjsip,local_uri)');
    return name === undefined || !/\bsips?:asterisk@/.test(name);
  }

  /** Whether the callee of the current attempt has been called, with whatever result. */
  const calleeWasThere = async ({ a, attempt }: Legs): Promise<boolean> =>
    (await ari.variable(a, ATTEMPT)) === String(attempt);

  return {
    note,
    finish,
    bury,
    dialCaller,
    callerUp,
    callCallee,
    dialCallee,
    calleeUp,
    calleeGone,
    callerGone,
    hasNext,
    tryNext,
    wasDialled,
    calleeWasThere,
  };
}

function unlessThere(error: unknown): void {
  if (!(error instanceof AriError) || error.status !== 409) throw error;
}
