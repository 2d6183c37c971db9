import type { Logger } from '@sabia/service-kit/logging';
import { causeOf, q850Of } from '../../domain/hangup-cause';
import type { HangupCause } from '../../domain/hangup-cause';
import { mayTryNext } from '../../domain/trunk';
import type { Trunk } from '../../domain/trunk';
import type { SwitchEvent } from '../port';
import type { AriClient } from './ari-client';
import { AriError } from './ari-http';
import type { ChannelDestroyed } from './ari-types';
import { bridgeOf, calleeOf } from './call-legs';
import type { LegBook, Legs } from './leg-book';
import type { SureHangup } from './sure-hangup';

export interface CallStepsOptions {
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

/** On the caller's channel. */
const ATTEMPT = 'SABIA_ATTEMPT';

export type CallSteps = ReturnType<typeof createCallSteps>;

/** What is done on the switch, one step of a call at a time. */
export function createCallSteps(options: CallStepsOptions, book: LegBook, sure: Pick<SureHangup, 'hangUp'>) {
  const { ari, trunks, tell, onAttempt, dialSeconds, maximumSeconds, log, now } = options;

  const note = ({ call }: Legs, message: string, detail?: object): void =>
    tell({ kind: 'leg', callId: call.id, at: now(), message, detail });

  /** The end of it, once: whatever is left on the switch is cleared away, which a channel that has gone is not. */
  async function finish(legs: Legs, cause: HangupCause, gone?: string): Promise<void> {
    const { call, a, b } = legs;
    if (!book.holds(legs)) {
      return;
    }
    book.remove(legs);
    tell({ kind: 'ended', callId: call.id, at: now(), cause });
    const reason = q850Of(cause);
    const left = [a, b].filter((channelId) => channelId !== undefined && channelId !== gone);
    await Promise.all(left.map((channelId) => sure.hangUp(channelId!, reason)));
    await ari.destroyBridge(bridgeOf(call.id)).catch(() => undefined);
  }

  /** Calls the other side, on the trunk whose turn it is; the channel rings only once both are in the bridge. */
  async function callCallee(legs: Legs): Promise<void> {
    for (;;) {
      const callee = calleeOf(legs.call, trunks, legs.attempt);
      if (callee === undefined) {
        return finish(legs, 'NORMAL_CIRCUIT_CONGESTION');
      }
      const { channel, shown } = callee;
      book.setCallee(legs, channel.channelId);
      await Promise.all([
        // Who takes over must know whether a callee that is not there has been there.
        ari.setVariable(legs.a, ATTEMPT, String(legs.attempt)),
        shown !== legs.shown && ari.setVariable(legs.a, 'CALLERID(num)', shown),
        legs.bridged || ari.createBridge(bridgeOf(legs.call.id)).catch(unlessThere),
      ]);
      legs.shown = shown;
      try {
        await ari.createChannel(channel).catch(unlessThere);
        note(legs, 'destination is being called', { endpoint: channel.endpoint, attempt: legs.attempt });
        return;
      } catch (error) {
        // Without an answer nobody knows whether it is there: no other one is called.
        if (error instanceof AriError && error.status === undefined) throw error;
        log.warn({ err: error, callId: legs.call.id, endpoint: channel.endpoint }, 'a leg could not be made');
        if (legs.call.type !== 'outbound') {
          return finish(legs, 'SUBSCRIBER_ABSENT');
        }
        if (!(await advance(legs))) return;
      }
    }
  }

  async function advance(legs: Legs): Promise<boolean> {
    book.forgetCallee(legs);
    legs.dialled = false;
    legs.attempt += 1;
    return (await onAttempt(legs.call.id, legs.attempt)) && book.holds(legs);
  }

  const hasNext = ({ call, answered, attempt }: Legs): boolean =>
    !answered && call.type === 'outbound' && attempt + 1 < trunks.length;

  async function tryNext(legs: Legs): Promise<void> {
    if (await advance(legs)) await callCallee(legs);
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

  async function calleeGone(legs: Legs, { cause, tech_cause: sipStatus }: ChannelDestroyed): Promise<void> {
    note(legs, 'destination has gone', { cause, sipStatus });
    if (hasNext(legs) && mayTryNext({ cause, sipStatus })) {
      return tryNext(legs);
    }
    const known = causeOf(cause, legs);
    await finish(legs, legs.answered && known === 'NORMAL_UNSPECIFIED' ? 'NORMAL_CLEARING' : known, legs.b);
  }

  async function callerGone(legs: Legs, { cause, tech_cause: sipStatus }: ChannelDestroyed): Promise<void> {
    note(legs, 'caller has gone', { cause, sipStatus });
    await finish(legs, causeOfCallerGone(legs, cause), legs.a);
  }

  /**
   * A channel that was told to call stays down until the other side says something, which may take many seconds. But before it
   * calls it bears Asterisk's own name, and from then on the caller's.
   */
  async function wasDialled(channelId: string): Promise<boolean> {
    const name = await ari.variable(channelId, 'CHANNEL(pjsip,local_uri)');
    return name === undefined || !/\bsips?:asterisk@/.test(name);
  }

  /** Whether the callee of the present attempt has been there, whatever became of it. */
  const calleeWasThere = async ({ a, attempt }: Legs): Promise<boolean> =>
    (await ari.variable(a, ATTEMPT)) === String(attempt);

  return {
    ...{ note, finish, callCallee, dialCallee, calleeUp, calleeGone, callerGone },
    ...{ hasNext, tryNext, wasDialled, calleeWasThere },
  };
}

function causeOfCallerGone(legs: Legs, cause: number): HangupCause {
  if (legs.answered) {
    return 'NORMAL_CLEARING';
  }
  if (legs.aUp) {
    return 'ORIGINATOR_CANCEL';
  }
  // The softphone that was asked to call did not pick up.
  const known = causeOf(cause, legs);
  return known === 'NORMAL_CLEARING' || known === 'NORMAL_UNSPECIFIED' ? 'NO_USER_RESPONSE' : known;
}

function unlessThere(error: unknown): void {
  if (!(error instanceof AriError) || error.status !== 409) throw error;
}
