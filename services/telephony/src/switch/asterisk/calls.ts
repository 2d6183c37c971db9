import type { Logger } from '@sabia/service-kit/logging';
import { causeOf, q850Of } from '../../domain/hangup-cause';
import type { HangupCause } from '../../domain/hangup-cause';
import type { LiveCall } from '../../domain/live-call';
import { mayTryNext } from '../../domain/trunk';
import type { Trunk } from '../../domain/trunk';
import { PlacingError } from '../port';
import type { SwitchEvent } from '../port';
import type { AriClient } from './ari-client';
import { AriError, isGone } from './ari-http';
import type { AriChannel, AriEvent, ChannelDestroyed } from './ari-types';
import { aChannelOf, autoAnswer, bChannelOf, bridgeOf, calleeOf, endpointOf } from './call-legs';

/** What is known of a call on the switch. Rebuilt from the database and the list of channels whenever that is in doubt. */
interface Legs {
  call: LiveCall;
  a: string;
  aUp: boolean;
  /** The callee's channel of the present attempt. */
  b: string | undefined;
  attempt: number;
  answered: boolean;
}

export interface AsteriskCallsOptions {
  ari: AriClient;
  trunks: readonly Trunk[];
  tell: (event: SwitchEvent) => void;
  /** Writes down that the next trunk's turn has come; false: somebody else did. */
  onAttempt: (callId: string, attempt: number) => Promise<boolean>;
  /** Of an unanswered call, beyond what the driver waits for. */
  dialSeconds: number;
  /** Recordings stop here. */
  maximumSeconds: number;
  log: Logger;
  now: () => Date;
}

export type AsteriskCalls = ReturnType<typeof createAsteriskCalls>;

/** Two legs and a bridge for each call. */
export function createAsteriskCalls(options: AsteriskCallsOptions) {
  const { ari, trunks, tell, onAttempt, dialSeconds, maximumSeconds, log, now } = options;
  const calls = new Map<string, Legs>();
  const byChannel = new Map<string, Legs>();

  const note = ({ call }: Legs, message: string, detail?: object): void =>
    tell({ kind: 'leg', callId: call.id, at: now(), message, detail });

  function know(call: LiveCall): Legs {
    const legs: Legs = {
      call,
      a: aChannelOf(call),
      aUp: false,
      b: undefined,
      attempt: call.attempt,
      answered: call.answeredAt !== null,
    };
    calls.set(call.id, legs);
    byChannel.set(legs.a, legs);
    return legs;
  }

  function setCallee(legs: Legs, channelId: string): void {
    legs.b = channelId;
    byChannel.set(channelId, legs);
  }

  /** The end of it, once: whatever is left on the switch is cleared away. */
  async function finish(legs: Legs, cause: HangupCause): Promise<void> {
    const { call, a, b } = legs;
    if (calls.get(call.id) !== legs) {
      return;
    }
    calls.delete(call.id);
    byChannel.delete(a);
    if (b !== undefined) byChannel.delete(b);
    tell({ kind: 'ended', callId: call.id, at: now(), cause });
    const reason = q850Of(cause);
    await Promise.allSettled([ari.hangup(a, reason), b && ari.hangup(b, reason)]);
    await ari.destroyBridge(bridgeOf(call.id)).catch(() => undefined);
  }

  async function bridgeCaller(legs: Legs): Promise<void> {
    const bridge = bridgeOf(legs.call.id);
    await ari.createBridge(bridge).catch(unlessThere);
    await ari.addToBridge(bridge, [legs.a]);
  }

  /** Calls the other side, on the trunk whose turn it is; the channel rings only once it is in the bridge. */
  async function callCallee(legs: Legs): Promise<void> {
    for (;;) {
      const callee = calleeOf(legs.call, trunks, legs.attempt);
      if (callee === undefined) {
        return finish(legs, 'NORMAL_CIRCUIT_CONGESTION');
      }
      const { channel, shown } = callee;
      setCallee(legs, channel.channelId);
      await ari.setVariable(legs.a, 'CALLERID(num)', shown);
      try {
        await ari.createChannel(channel);
        note(legs, 'destination is being called', { endpoint: channel.endpoint, attempt: legs.attempt });
        return;
      } catch (error) {
        log.warn({ err: error, callId: legs.call.id, endpoint: channel.endpoint }, 'a leg could not be made');
        if (legs.call.type !== 'outbound') {
          return finish(legs, 'SUBSCRIBER_ABSENT');
        }
        if (!(await advance(legs))) return;
      }
    }
  }

  async function advance(legs: Legs): Promise<boolean> {
    if (legs.b !== undefined) byChannel.delete(legs.b);
    legs.attempt += 1;
    return (await onAttempt(legs.call.id, legs.attempt)) && calls.get(legs.call.id) === legs;
  }

  async function calleeGone(legs: Legs, { cause, tech_cause: sipStatus }: ChannelDestroyed): Promise<void> {
    note(legs, 'destination has gone', { cause, sipStatus });
    const next = !legs.answered && legs.call.type === 'outbound' && legs.attempt + 1 < trunks.length;
    if (next && mayTryNext({ cause, sipStatus })) {
      if (await advance(legs)) await callCallee(legs);
      return;
    }
    const known = causeOf(cause, legs);
    await finish(legs, legs.answered && known === 'NORMAL_UNSPECIFIED' ? 'NORMAL_CLEARING' : known);
  }

  async function callerGone(legs: Legs, { cause, tech_cause: sipStatus }: ChannelDestroyed): Promise<void> {
    note(legs, 'caller has gone', { cause, sipStatus });
    if (legs.answered) {
      await finish(legs, 'NORMAL_CLEARING');
    } else if (legs.aUp) {
      await finish(legs, 'ORIGINATOR_CANCEL');
    } else {
      // The softphone that was asked to call did not pick up.
      const known = causeOf(cause, legs);
      await finish(legs, known === 'NORMAL_CLEARING' || known === 'NORMAL_UNSPECIFIED' ? 'NO_USER_RESPONSE' : known);
    }
  }

  async function calleeUp(legs: Legs): Promise<void> {
    if (legs.answered) {
      return;
    }
    legs.answered = true;
    tell({ kind: 'answered', callId: legs.call.id, at: now() });
    if (legs.call.aChannel !== null) {
      await ari.answer(legs.a);
    }
    if (legs.call.record) {
      const recording = { name: legs.call.id, format: 'wav' as const, maxDurationSeconds: maximumSeconds };
      await ari.recordBridge(bridgeOf(legs.call.id), recording).catch((error: unknown) => {
        log.error({ err: error, callId: legs.call.id }, 'a call could not be recorded');
        note(legs, 'recording failed');
      });
    }
  }

  async function dialCallee(legs: Legs, channelId: string): Promise<void> {
    await ari.addToBridge(bridgeOf(legs.call.id), [channelId]);
    await ari.dial(channelId, { caller: legs.a, timeout: dialSeconds });
  }

  async function handle(event: AriEvent, legs: Legs): Promise<void> {
    switch (event.type) {
      case 'StasisStart':
        if (event.channel.id === legs.a) {
          legs.aUp = true;
          note(legs, 'caller picked up');
          await bridgeCaller(legs);
          await callCallee(legs);
        } else if (event.channel.id === legs.b) {
          await dialCallee(legs, event.channel.id);
        }
        break;
      case 'ChannelStateChange':
        if (event.channel.id === legs.b && event.channel.state === 'Up') {
          await calleeUp(legs);
        } else if (event.channel.state === 'Ringing') {
          note(legs, event.channel.id === legs.a ? 'caller rings' : 'destination rings');
        }
        break;
      case 'ChannelDestroyed':
        if (event.channel.id === legs.a) await callerGone(legs, event);
        else if (event.channel.id === legs.b) await calleeGone(legs, event);
        break;
      default:
        break;
    }
  }

  /** Whatever cannot be done on the switch ends the call: nobody is left in silence. */
  async function guarded(legs: Legs, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (calls.get(legs.call.id) !== legs) {
        return;
      }
      log.warn({ err: error, callId: legs.call.id }, 'a step of a call failed on the switch');
      // A channel that is gone was hung up meanwhile.
      await finish(
        legs,
        legs.answered ? 'NORMAL_CLEARING' : isGone(error) ? 'ORIGINATOR_CANCEL' : 'NORMAL_TEMPORARY_FAILURE',
      );
    }
  }

  return {
    has: (callId: string): boolean => calls.has(callId),

    async place(call: LiveCall): Promise<void> {
      const legs = know(call);
      if (call.aChannel !== null) {
        legs.aUp = true;
        tell({ kind: 'ringing', callId: call.id, at: now() });
        await guarded(legs, async () => {
          await ari.ring(legs.a);
          await bridgeCaller(legs);
          await callCallee(legs);
        });
        return;
      }
      try {
        await ari.originate({
          endpoint: endpointOf(call),
          channelId: legs.a,
          appArgs: `leg-a,${call.id}`,
          callerId: call.to,
          timeout: dialSeconds,
          variables: autoAnswer,
        });
        tell({ kind: 'ringing', callId: call.id, at: now() });
      } catch (error) {
        calls.delete(call.id);
        byChannel.delete(legs.a);
        const gone = error instanceof AriError && error.status === 500;
        throw new PlacingError(
          gone ? 'USER_NOT_REGISTERED' : 'NETWORK_OUT_OF_ORDER',
          'the softphone cannot be called',
          error,
        );
      }
    },

    async hangUp(call: LiveCall, cause: HangupCause): Promise<void> {
      await finish(calls.get(call.id) ?? know(call), cause);
    },

    /** False: the event is about no call that is known here. */
    handle(event: AriEvent): boolean {
      const legs = 'channel' in event && event.channel ? byChannel.get(event.channel.id) : undefined;
      if (legs === undefined) {
        return false;
      }
      void guarded(legs, () => handle(event, legs));
      return true;
    },

    /** Goes on with a call that this process has not driven so far, or has lost sight of. */
    async resume(call: LiveCall, channels: ReadonlyMap<string, AriChannel>): Promise<void> {
      const legs = know(call);
      const a = channels.get(legs.a);
      const bName = bChannelOf(call.id, call.attempt);
      const b = channels.get(bName);
      if (b !== undefined) setCallee(legs, bName);
      legs.aUp = a !== undefined && (a.state === 'Up' || call.aChannel !== null);
      await guarded(legs, async () => {
        if (a === undefined && b === undefined) {
          await finish(legs, 'NETWORK_OUT_OF_ORDER');
        } else if (a === undefined) {
          await finish(legs, legs.answered ? 'NORMAL_CLEARING' : 'ORIGINATOR_CANCEL');
        } else if (b === undefined) {
          if (legs.answered) {
            await finish(legs, 'NORMAL_CLEARING');
          } else if (legs.aUp) {
            await bridgeCaller(legs);
            await callCallee(legs);
          }
        } else if (b.state === 'Up') {
          await calleeUp(legs);
        } else if (b.state === 'Down') {
          await bridgeCaller(legs);
          await dialCallee(legs, bName);
        }
      });
    },

    /** The switch is gone, and with it everything that was on it. */
    forget(): void {
      calls.clear();
      byChannel.clear();
    },
  };
}

function unlessThere(error: unknown): void {
  if (!(error instanceof AriError) || error.status !== 409) throw error;
}
