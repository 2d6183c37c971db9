import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Billing } from '../clients/billing';
import type { HangupCause } from '../domain/hangup-cause';
import { COME_BACK_MS, creditWarningAt, dutyOf, paidUntil } from '../domain/live-call';
import type { LiveCall, Side, TimePolicy } from '../domain/live-call';
import { noteTransferFailed, removeTransfer } from '../storage/leg-changes';
import { findLive, noteExtended, noteHangups, setDue } from '../storage/live-calls';
import type { Extension, HangupNote, NextLook } from '../storage/live-calls';
import { addToTimelines } from '../storage/timeline';
import { nextLook } from './call-progress';
import type { CallProgress } from './call-progress';
import type { CallSwitch } from '../switch/port';

export interface Duties {
  /** Does what the call needs at this moment. */
  see(callId: string): Promise<void>;
}

export interface DutiesOptions {
  database: Database;
  callSwitch: CallSwitch;
  progress: CallProgress;
  billing: Pick<Billing, 'extend'>;
  policy: TimePolicy;
  log: Logger;
  now: () => Date;
}

/** Why the driver itself ends a call, for the timeline. */
const reasons: Partial<Record<HangupCause, string>> = {
  NO_ANSWER: 'rang for too long',
  ALLOTTED_TIMEOUT: 'talking time is used up',
};
const BATCH = 64;
const BILLING_RETRY_MS = 2_000;
const HANGUP_RETRY_MS = 1_000;
const LIMIT_RETRY_MS = 1_000;
/** A driver that is this late was cut off, probably from the database; billing may recover a moment later. */
const LATE_MS = 2_000;
const PATIENCE_MS = 5_000;

export function createDuties(options: DutiesOptions): Duties {
  const { database, callSwitch, progress, billing, policy, log, now } = options;
  // Batched: many calls are due at the same moment, and must not keep new calls from the database.
  const looks = createBatcher<string, LiveCall | undefined>({
    batchSize: BATCH,
    write: (callIds) => findLive(database, callIds),
  });
  const hangups = createBatcher<HangupNote, void>({
    batchSize: BATCH,
    async write(notes) {
      await noteHangups(database, notes);
      return notes.map(() => undefined);
    },
  });
  const nextLooks = createBatcher<NextLook, void>({
    batchSize: BATCH,
    async write(looks) {
      await setDue(database, looks);
      return looks.map(() => undefined);
    },
  });
  const extensions = createBatcher<Extension, void>({
    batchSize: BATCH,
    async write(granted) {
      await noteExtended(database, granted);
      return granted.map(() => undefined);
    },
  });
  const lookAt = (callId: string, dueAt: Date): Promise<void> => nextLooks.add({ callId, dueAt });
  /** Since when billing has been unavailable, by id of calls that were looked at too late. */
  const unansweredSince = new Map<string, number>();

  function waitsForBilling(call: LiveCall): boolean {
    const at = now().getTime();
    if (at - paidUntil(call).getTime() < LATE_MS) {
      return false;
    }
    const since = unansweredSince.get(call.id) ?? at;
    unansweredSince.set(call.id, since);
    return at - since < PATIENCE_MS;
  }

  async function hangUp(call: LiveCall, cause: HangupCause): Promise<void> {
    const at = call.requestedAt ?? now();
    const dueAt = new Date(at.getTime() + policy.hangupSeconds * 1000);
    const message = reasons[cause] ?? 'a party has left and did not come back';
    const note = { callId: call.id, cause, at, dueAt };
    await hangups.add(call.requestedAt === null ? { ...note, message } : note);
    if (!(await tellToEnd(call, cause))) {
      const retryAt = new Date(now().getTime() + HANGUP_RETRY_MS);
      await hangups.add({ ...note, dueAt: retryAt < dueAt ? retryAt : dueAt });
    }
  }

  async function tellToEnd(call: LiveCall, cause: HangupCause): Promise<boolean> {
    try {
      await callSwitch.hangUp(call, cause);
      return true;
    } catch (error) {
      log.warn({ err: error, callId: call.id }, 'the switch could not be told to end a call');
      return false;
    }
  }

  async function tellToLimit(call: LiveCall): Promise<boolean> {
    try {
      await callSwitch.limit(call);
      return true;
    } catch (error) {
      log.warn({ err: error, callId: call.id }, 'the switch could not be told when to cut a call');
      return false;
    }
  }

  /** Tells the switch once more, as an earlier driver may have died before it did: an ended call must not go on talking. */
  async function bury(call: LiveCall, cause: HangupCause): Promise<void> {
    log.warn({ callId: call.id }, 'the switch did not end a call in time; it counts as ended');
    await tellToEnd(call, cause);
    await progress.apply({ kind: 'ended', callId: call.id, at: now(), cause });
  }

  /** Warns once: the call is not looked at again until it is cut. */
  async function warn(call: LiveCall, until: Date): Promise<void> {
    await lookAt(call.id, until);
    try {
      await callSwitch.warn(call);
    } catch (error) {
      log.warn({ err: error, callId: call.id }, 'the warning tone of a call could not be played');
    }
  }

  /**
   * The switch first: if this process dies in between, the next driver calls the extension once more instead of never. The call is
   * looked at again at once, for what else it needs.
   */
  async function transfer(call: LiveCall, { side, to }: { side: Side; to: string }): Promise<void> {
    let isCalled = true;
    try {
      await callSwitch.transfer(call, { side, to });
    } catch (error) {
      isCalled = false;
      log.warn({ err: error, callId: call.id }, 'a call could not be transferred');
      const message = 'the transfer failed';
      const detail = { extension: to };
      await addToTimelines(database, [{ callId: call.id, at: now(), kind: 'leg', message, detail }]);
    }
    await removeTransfer(database, call.id, { side, to });
    if (!isCalled) {
      await noteTransferFailed(database, call.id, { side, until: new Date(now().getTime() + COME_BACK_MS) });
    }
  }

  /** No further talking time has been granted: warns when it is time, or looks again. */
  async function runOut(call: LiveCall, lookAgainAt?: Date): Promise<void> {
    const cutAt = paidUntil(call);
    const warnAt = creditWarningAt(call, policy);
    if (warnAt <= now() && warnAt < cutAt) {
      await warn(call, cutAt);
    } else {
      await lookAt(call.id, lookAgainAt !== undefined && lookAgainAt < warnAt ? lookAgainAt : warnAt);
    }
  }

  async function extend(call: LiveCall, wanted: number, last: boolean): Promise<void> {
    const granted = call.grantedSeconds ?? 0;
    let seconds = granted;
    try {
      seconds = await billing.extend({ callId: call.id, wanted, granted });
    } catch (error) {
      log.warn({ err: error, callId: call.id }, 'the talking time of a call could not be extended');
      if (!last) {
        await runOut(call, new Date(now().getTime() + BILLING_RETRY_MS));
        return;
      }
      if (waitsForBilling(call)) {
        await lookAt(call.id, new Date(now().getTime() + BILLING_RETRY_MS));
        return;
      }
    }
    unansweredSince.delete(call.id);
    if (seconds > granted) {
      const extended = { ...call, grantedSeconds: seconds };
      // The switch first: if this process dies in between, the database holds less than what is paid for, never more.
      if (!(await tellToLimit(extended))) {
        await lookAt(call.id, new Date(now().getTime() + LIMIT_RETRY_MS));
        return;
      }
      const at = now();
      await extensions.add({ callId: call.id, seconds, at, dueAt: nextLook(extended, policy, at) });
    } else if (last) {
      await hangUp(call, 'ALLOTTED_TIMEOUT');
    } else {
      await runOut(call);
    }
  }

  return {
    async see(callId) {
      const call = await looks.add(callId);
      if (call === undefined) {
        return;
      }
      const duty = dutyOf(call, policy, now());
      switch (duty.kind) {
        case 'wait':
          await lookAt(callId, duty.until);
          break;
        case 'warn':
          await warn(call, duty.until);
          break;
        case 'transfer':
          await transfer(call, duty);
          break;
        case 'hang-up':
          await hangUp(call, duty.cause);
          break;
        case 'extend':
          await extend(call, duty.wanted, duty.last);
          break;
        case 'bury':
          await bury(call, duty.cause);
          break;
      }
    },
  };
}
