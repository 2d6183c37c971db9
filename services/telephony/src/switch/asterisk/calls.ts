import { setTimeout as delay } from 'node:timers/promises';
import { q850Of } from '../../domain/hangup-cause';
import type { HangupCause } from '../../domain/hangup-cause';
import type { LiveCall, Side } from '../../domain/live-call';
import { isProofCall } from '../../domain/number-proof';
import { createRoutes } from '../../domain/trunk-route';
import type { Trunk } from '../../domain/trunk';
import { PlacingError } from '../port';
import { AriError } from './ari-http';
import type { AriChannel, AriEvent } from './ari-types';
import { autoAnswer, bChannelOf, bridgeOf, calleeOf, callerChannelOf, isInStasis } from './call-legs';
import { createCallSteps } from './call-steps';
import type { CallStepsOptions } from './call-steps';
import { createCutOff } from './cut-off';
import type { DialTurn } from './dial-turn';
import { createLegBook, hasUndialled, presentTrunk } from './leg-book';
import type { Legs } from './leg-book';
import { createProofKeys, PROMPT } from './proof-keys';
import type { TryCode } from './proof-keys';
import { createRecorder } from './recorder';
import { createStepGuard } from './step-guard';
import { createSureHangup } from './sure-hangup';
import type { SwitchClock } from './switch-clock';
import { createTransfers } from './transfers';
import type { TransfersOptions } from './transfers';
import { createTrunkPatience } from './trunk-patience';

export interface AsteriskCallsOptions extends Omit<CallStepsOptions, 'book' | 'sure' | 'cutOff' | 'recorder'> {
  trunks: readonly Trunk[];
  dialTurn: DialTurn;
  onTransferred: TransfersOptions['onTransferred'];
  onTransferFailed: TransfersOptions['onTransferFailed'];
  tryCode: TryCode;
  /** The longest talking time, however much is paid for. */
  maximumSeconds: number;
  clock: Pick<SwitchClock, 'read'>;
  /** When the callee answered, according to the records of the switch. */
  answeredAt: (call: LiveCall) => Promise<Date | undefined>;
  /** Whether the switch has recorded anything of the channel, which is not there any more. */
  hasRecord: (channelId: string) => Promise<boolean>;
  /** See AsteriskConfig. */
  integratedCallHeader?: string;
}
export type AsteriskCalls = ReturnType<typeof createAsteriskCalls>;

/** From indications.conf. Asterisk plays nothing else until the tone is stopped. */
const WARNING_TONE = 'tone:warning';
const WARNING_MS = 1_500;
const DIALLED_LOOK_MS = 20;

/** Each call has two legs and a bridge. */
export function createAsteriskCalls(options: AsteriskCallsOptions) {
  const { ari, trunks, tell, clock, answeredAt, dialSeconds, maximumSeconds, integratedCallHeader, log, now } = options;
  const book = createLegBook({ routeTo: createRoutes(trunks) });
  const sure = createSureHangup({ ari, log });
  const cutOff = createCutOff({ ari, dialSeconds, maximumSeconds, log, now });
  const recorder = createRecorder({ ari, book, tell, maximumSeconds, log, now });
  const steps = createCallSteps({
    ari,
    tell,
    nextTrunk: options.nextTrunk,
    wayToCarrier: options.wayToCarrier,
    dialSeconds,
    book,
    sure,
    cutOff,
    recorder,
    log,
    now,
  });
  const transfers = createTransfers({
    ari,
    book,
    sure,
    cutOff,
    steps,
    onTransferred: options.onTransferred,
    onTransferFailed: options.onTransferFailed,
    integratedCallHeader,
    dialSeconds,
    now,
  });
  const guard = createStepGuard({ book, finish: steps.finish, losses: () => ari.losses, log });
  const { guarded, underWay } = guard;
  const keys = createProofKeys({ ari, book, steps, guard, tryCode: options.tryCode, log, now });
  const patience = createTrunkPatience({ ari, book, steps, guard });

  async function dial(legs: Legs, channelId: string): Promise<void> {
    await options.dialTurn(presentTrunk(legs));
    if (book.ofChannel(channelId) !== legs) {
      return;
    }
    await steps.dialCallee(legs, channelId);
    patience.begin(legs, channelId);
  }

  async function up(channel: AriChannel, legs: Legs, at: Date): Promise<void> {
    if (channel.id === legs.transfer?.channel) {
      await transfers.arrived(legs, legs.transfer);
    } else if (channel.id === legs.a && isInStasis(channel)) {
      await steps.callerUp(legs, at);
    } else if (channel.id === legs.b) {
      await steps.calleeUp(legs, at);
      if (isProofCall(legs.call)) keys.begin(legs);
    }
  }

  async function handle(event: AriEvent, legs: Legs): Promise<void> {
    const at = clock.read(event.timestamp);
    switch (event.type) {
      case 'StasisStart':
        if (legs.transfer?.channel === event.channel.id) {
          await transfers.dial(legs, legs.transfer);
        } else if (event.channel.id === legs.a) {
          if (event.channel.state === 'Up') await steps.callerUp(legs, at);
          else await steps.dialCaller(legs);
        } else if (event.channel.id === legs.b) {
          await dial(legs, event.channel.id);
        }
        break;
      case 'ChannelStateChange':
        if (event.channel.id === legs.b) patience.end(legs);
        if (event.channel.state === 'Up') {
          await up(event.channel, legs, at);
        } else if (event.channel.state === 'Ringing' && event.channel.id !== legs.transfer?.channel) {
          steps.note(legs, event.channel.id === legs.a ? 'caller rings' : 'destination rings', { at });
        }
        break;
      case 'ChannelDtmfReceived':
        if (event.channel.id === legs.b && isProofCall(legs.call)) await keys.press(legs, event.digit);
        break;
      case 'Dial':
        if (event.dialstatus === 'PROGRESS' && event.peer.id === legs.b) {
          patience.end(legs);
          steps.note(legs, 'early audio from the destination', { at });
        }
        break;
      case 'ChannelDestroyed':
        if (event.channel.id === legs.transfer?.channel) await transfers.failed(legs, event);
        else if (transfers.outlives(legs, event, at)) break;
        else if (event.channel.id === legs.a) await steps.callerGone(legs, event, at);
        else if (event.channel.id === legs.b) await steps.calleeGone(legs, event, at);
        break;
      default:
        break;
    }
  }

  /** The callee is up. An earlier driver may have died before it limited or recorded the call. */
  async function answered(legs: Legs): Promise<void> {
    if (isProofCall(legs.call)) keys.begin(legs);
    if (legs.call.answeredAt === null && !legs.answered) {
      await steps.calleeUp(legs, (await answeredAt(legs.call)) ?? now());
      return;
    }
    if (legs.call.answeredAt !== null) {
      await cutOff.tryToSet(legs, legs.call.answeredAt);
    }
    await recorder.begin(legs);
  }

  /** A driver that died between its note on the caller's channel and the callee's channel has called nobody. */
  const calleeWasThere = async (legs: Legs, channelId: string): Promise<boolean> =>
    (await steps.calleeWasThere(legs)) && (await options.hasRecord(channelId));

  /**
   * Not originated: what a node gets while it is frozen, it does when it wakes up, and by then the call may be placed elsewhere. A phone
   * rings only after the node has responded. The prompt of a proof is no phone.
   */
  async function createCaller({ call, a, shown }: Legs): Promise<void> {
    const limit = cutOff.atMost(call);
    if (isProofCall(call)) {
      const variables = { ...limit, ...(shown !== undefined && { 'CALLERID(num)': shown }) };
      const args = { channelId: a, appArgs: `leg-a,${call.id}`, callerId: call.to, timeout: dialSeconds };
      await ari.originate({ endpoint: PROMPT, ...args, variables });
      return;
    }
    const channel = callerChannelOf(call, shown);
    const variables = { ...channel.variables, ...autoAnswer(integratedCallHeader), ...limit };
    await ari.createChannel({ ...channel, variables });
  }

  /** An earlier driver may have died between making the caller's channel and dialling it. */
  async function resumeCaller(legs: Legs, channel: AriChannel): Promise<void> {
    // One that is not in Stasis yet will send StasisStart.
    if (!isInStasis(channel)) return;
    if (channel.state === 'Down' && !(await steps.wasDialled(legs.a))) await steps.dialCaller(legs);
    else legs.aDialled = true;
  }

  return {
    /** False: the channel is no leg of any call. */
    hasChannel: (channelId: string): boolean => book.ofChannel(channelId) !== undefined,

    async place(call: LiveCall): Promise<void> {
      const legs = book.enter(call);
      if (call.type === 'outbound' && legs.route.length === 0) {
        await steps.finish(legs, 'NO_ROUTE_DESTINATION');
        return;
      }
      if (call.aChannel !== null) {
        legs.aUp = true;
        tell({ kind: 'ringing', callId: call.id, at: now() });
        await guarded(legs, async () => {
          // One that may have had to wait rings already.
          if (call.trunks === null) await ari.ring(legs.a);
          await steps.callCallee(legs);
        });
        return;
      }
      legs.shown = calleeOf(call, presentTrunk(legs), legs.attempt)?.shown;
      const lossesBefore = ari.losses;
      try {
        await underWay(createCaller(legs));
      } catch (error) {
        book.remove(legs);
        // Whether the phone rings shows when the switch is back; if it stays away, the call is placed elsewhere.
        if (await guard.fellIntoLoss(error, lossesBefore)) return;
        // Without a response it is unknown whether the phone rings.
        if (error instanceof AriError && error.status === undefined) void sure.hangUp(legs.a);
        const gone = error instanceof AriError && error.status === 500;
        throw new PlacingError(
          gone ? 'USER_NOT_REGISTERED' : 'NETWORK_OUT_OF_ORDER',
          'the softphone cannot be called',
          error,
        );
      }
      if (book.has(call.id)) {
        tell({ kind: 'ringing', callId: call.id, at: now() });
      } else {
        // The call was ended before there was a channel to hang up.
        await sure.hangUp(legs.a, q850Of('ORIGINATOR_CANCEL'));
      }
    },

    async hangUp(call: LiveCall, cause: HangupCause): Promise<void> {
      const legs = book.of(call.id) ?? book.enter(call);
      // How far a call came that another replica drove is unknown here.
      if (legs.b === undefined) book.setCallee(legs, bChannelOf(call.id, legs.attempt));
      await steps.finish(legs, cause);
    },

    async transfer(call: LiveCall, leg: { side: Side; to: string }): Promise<void> {
      const legs = book.of(call.id);
      if (legs === undefined) throw new Error('the legs of the call are not known here');
      await underWay(transfers.begin(legs, leg));
    },

    async limit(call: LiveCall): Promise<void> {
      const legs = book.of(call.id);
      if (legs !== undefined && call.answeredAt !== null) {
        await cutOff.set(legs, { ...call, answeredAt: call.answeredAt });
      }
    },

    /** Both parties hear it, and it is recorded. */
    async warn({ id: callId }: LiveCall): Promise<void> {
      const at = now();
      const playbackId = `${callId}-warning-${at.getTime()}`;
      await ari.playOnBridge(bridgeOf(callId), { media: WARNING_TONE, playbackId });
      setTimeout(() => void ari.stopPlayback(playbackId).catch(() => undefined), WARNING_MS).unref();
      tell({ kind: 'leg', callId, at, message: 'warned of the end' });
    },

    /** False: the event belongs to no call that is known here. */
    handle(event: AriEvent): boolean {
      const channel = event.type === 'Dial' ? event.peer : 'channel' in event ? event.channel : undefined;
      const legs = channel && book.ofChannel(channel.id);
      if (legs === undefined) {
        return false;
      }
      void guarded(legs, () => handle(event, legs));
      return true;
    },

    recordingFailed: recorder.failed,
    recordingFinished: recorder.finished,

    settled: guard.settled,

    /** Resolves when no step is under way and every leg that was made is dialled, or after so long. */
    async untilDialled(atMostMs: number): Promise<void> {
      const until = performance.now() + atMostMs;
      while ((!guard.isIdle || book.some(hasUndialled)) && performance.now() < until) await delay(DIALLED_LOOK_MS);
    },

    /** Continues a call that this process has not driven so far, or whose events it has missed. */
    async resume(call: LiveCall, channels: ReadonlyMap<string, AriChannel>): Promise<void> {
      const known = book.of(call.id);
      const legs = book.enter(call);
      // This process may know more than the database.
      legs.attempt = Math.max(legs.attempt, known?.attempt ?? 0);
      if (known !== undefined && known.tried.length > legs.tried.length) legs.tried = known.tried;
      legs.answered ||= known?.answered ?? false;
      const a = channels.get(legs.a);
      const bName = bChannelOf(call.id, legs.attempt);
      const b = channels.get(bName);
      if (b !== undefined) book.setCallee(legs, bName);
      // A channel that is up but not in Stasis yet will send StasisStart.
      legs.aUp = a !== undefined && (call.aChannel !== null || (a.state === 'Up' && isInStasis(a)));
      await guarded(legs, async () => {
        if (a === undefined && b === undefined) {
          await steps.bury(legs, { cause: 'NETWORK_OUT_OF_ORDER' });
        } else if (a === undefined) {
          await steps.bury(legs, { cause: legs.answered ? 'NORMAL_CLEARING' : 'ORIGINATOR_CANCEL', left: legs.b });
        } else if (b === undefined && legs.answered) {
          await steps.bury(legs, { cause: 'NORMAL_CLEARING', left: legs.a });
        } else if (b === undefined && legs.aUp && call.line !== null && call.requestedAt === null) {
          // One trunk has failed, and the call waits for another.
          await steps.tryNext(legs);
        } else if (b === undefined && legs.aUp && (await calleeWasThere(legs, bName))) {
          // The callee came and went while no replica was connected; it is not called again.
          await steps.bury(legs, { cause: 'NORMAL_TEMPORARY_FAILURE', left: legs.a });
        } else if (call.requestedAt !== null) {
          if (b?.state === 'Up') await answered(legs);
          await steps.finish(legs, call.requestedCause ?? 'NORMAL_CLEARING');
        } else if (b === undefined) {
          if (legs.aUp) await steps.callCallee(legs);
          else if (a !== undefined) await resumeCaller(legs, a);
        } else if (b.state === 'Up') {
          legs.dialled = true;
          await answered(legs);
        } else if (b.state !== 'Down' || (await steps.wasDialled(bName))) {
          legs.dialled = true;
          if (b.state === 'Down') patience.begin(legs, bName);
        } else {
          await dial(legs, bName);
        }
      });
    },

    /** Leaves the calls to the next driver, which finds them on the switch. */
    close(): void {
      sure.close();
      book.clear();
    },
  };
}
