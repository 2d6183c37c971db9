import { extensionsOf } from '../../domain/live-call';
import type { Side, TransferredLeg } from '../../domain/live-call';
import { causeOfCallerGone, q850Of } from '../../domain/hangup-cause';
import type { AriClient } from './ari-client';
import { isGone } from './ari-http';
import type { ChannelDestroyed } from './ari-types';
import { autoAnswer, bChannelOf, bridgeOf, endpointOf, laterAChannelOf, namingCall, namingTakeover } from './call-legs';
import type { CallSteps } from './call-steps';
import type { CutOff } from './cut-off';
import type { LegBook, Legs, Transfer } from './leg-book';
import type { SureHangup } from './sure-hangup';

export interface TransfersOptions {
  ari: Pick<AriClient, 'createChannel' | 'dial' | 'addToBridge'>;
  book: LegBook;
  sure: Pick<SureHangup, 'hangUp'>;
  cutOff: CutOff;
  steps: Pick<CallSteps, 'note' | 'finish'>;
  /** Stores the name of the new leg; false: the call has ended. */
  onTransferred: (callId: string, leg: TransferredLeg) => Promise<boolean>;
  /** Nobody takes the leg over. */
  onTransferFailed: (callId: string, side: Side) => Promise<void>;
  integratedCallHeader?: string;
  /** How long the extension may ring. */
  dialSeconds: number;
  now: () => Date;
}

export type Transfers = ReturnType<typeof createTransfers>;

/**
 * Extensions that take a leg of an answered call over. The leg stays until the extension picks up, so that the other party is not
 * left alone with one that does not; if the leg ends in the meantime, the other party waits.
 */
export function createTransfers(options: TransfersOptions) {
  const { ari, book, sure, cutOff, steps, onTransferred, onTransferFailed } = options;
  const { integratedCallHeader, dialSeconds, now } = options;

  const nextAttempt = ({ attempt, transfer }: Legs): number =>
    transfer?.side === 'b' ? Number(/-b(\d+)$/.exec(transfer.channel)?.[1] ?? attempt) + 1 : attempt + 1;

  async function begin(legs: Legs, { side, to }: { side: Side; to: string }): Promise<void> {
    const { call } = legs;
    const leg = side === 'a' ? now().getTime() : nextAttempt(legs);
    const channel = (side === 'a' ? laterAChannelOf : bChannelOf)(call.id, leg);
    const former = legs.transfer;
    book.setTransfer(legs, { side, ramal: to, channel, isAwaited: former?.isAwaited ?? false });
    if (former !== undefined) await sure.hangUp(former.channel);
    // The phone that leaves is called again: its page was loaded anew, or lost its audio, so nobody needs to pick up.
    const isBack = to === extensionsOf(call)[side];
    steps.note(legs, isBack ? 'an extension is called back' : 'an extension is called to take over', { extension: to });
    try {
      const shown = side === 'a' ? call.to : call.from;
      await ari.createChannel({
        endpoint: endpointOf({ ramal: to, domain: call.domain }),
        channelId: channel,
        appArgs: `leg-${side},${call.id}`,
        variables: {
          ...{ 'CALLERID(num)': shown, 'CONNECTEDLINE(num,i)': shown },
          ...(isBack && autoAnswer(integratedCallHeader)),
          ...namingCall(call.id, leg),
          ...namingTakeover(call.id),
          ...cutOff.atMost(call),
        },
      });
    } catch (error) {
      await failed(legs);
      throw error;
    }
  }

  /** The extension rings from now on. */
  async function dial(legs: Legs, { channel }: Transfer): Promise<void> {
    try {
      await ari.dial(channel, { timeout: dialSeconds });
    } catch (error) {
      // The end of a channel that has gone is reported as an event.
      if (isGone(error) || legs.transfer?.channel !== channel) return;
      await Promise.all([failed(legs), sure.hangUp(channel)]);
    }
  }

  async function failed(legs: Legs, gone?: ChannelDestroyed): Promise<void> {
    const { transfer } = legs;
    book.forgetTransfer(legs);
    const extension = transfer?.ramal;
    steps.note(legs, 'the transfer failed', { extension, cause: gone?.cause, sipStatus: gone?.tech_cause });
    if (transfer?.isAwaited) await steps.finish(legs, 'NORMAL_CLEARING');
    else if (transfer !== undefined) await onTransferFailed(legs.call.id, transfer.side);
  }

  /** The extension has picked up. */
  async function arrived(legs: Legs, transfer: Transfer): Promise<void> {
    const { call } = legs;
    const { side, ramal, channel } = transfer;
    const leg: TransferredLeg =
      side === 'a' ? { side, ramal, channel } : { side, ramal, attempt: Number(/\d+$/.exec(channel)?.[0]) };
    if (!(await onTransferred(call.id, leg)) || legs.transfer !== transfer) {
      await sure.hangUp(channel);
      return;
    }
    const former = book.replaceLeg(legs, transfer);
    legs.call = { ...call, ...(leg.side === 'a' ? { aChannel: channel, aRamal: ramal } : { bRamal: ramal }) };
    if (leg.side === 'b') legs.attempt = leg.attempt;
    steps.note(legs, 'an extension took over', { extension: ramal });
    await Promise.all([
      ari.addToBridge(bridgeOf(call.id), [channel]),
      former !== undefined && sure.hangUp(former, q850Of('NORMAL_CLEARING')),
      call.answeredAt !== null && cutOff.tryToSet(legs, call.answeredAt),
    ]);
  }

  return {
    begin,
    dial,
    arrived,
    failed,
    /** True: the leg that ended is to be replaced, so that the call goes on. */
    outlives(legs: Legs, { channel: { id }, cause, tech_cause: sipStatus }: ChannelDestroyed, at: Date): boolean {
      const { transfer, a, b } = legs;
      if (transfer === undefined || id !== (transfer.side === 'a' ? a : b)) return false;
      transfer.isAwaited = true;
      const pickedUp = { answered: true, pickedUp: true };
      steps.note(legs, 'a party has left', { at, cause: causeOfCallerGone(cause, pickedUp), sipStatus });
      return true;
    },
  };
}
