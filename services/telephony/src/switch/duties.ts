import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Billing } from '../clients/billing';
import type { HangupCause } from '../domain/hangup-cause';
import { dutyOf, paidUntil } from '../domain/live-call';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import { findLive, noteHangup, setDue, setGranted } from '../storage/live-calls';
import { addToTimeline } from '../storage/timeline';
import { nextLook } from './call-progress';
import type { CallProgress } from './call-progress';
import type { CallSwitch } from './port';

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

const BILLING_RETRY_MS = 2_000;

export function createDuties(options: DutiesOptions): Duties {
  const { database, callSwitch, progress, billing, policy, log, now } = options;

  async function hangUp(call: LiveCall, cause: HangupCause): Promise<void> {
    const at = call.requestedAt ?? now();
    const dueAt = new Date(at.getTime() + policy.hangupSeconds * 1000);
    await noteHangup(database, call.id, { cause, at, dueAt });
    if (call.requestedAt === null) {
      const message = cause === 'NO_ANSWER' ? 'rang for too long' : 'talking time is used up';
      await addToTimeline(database, call.id, { at, kind: 'cause', message, detail: { cause } });
    }
    try {
      await callSwitch.hangUp(call, cause);
    } catch (error) {
      log.warn({ err: error, callId: call.id }, 'the switch could not be told to end a call');
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
        const retryAt = Math.min(now().getTime() + BILLING_RETRY_MS, paidUntil(call).getTime());
        await setDue(database, call.id, new Date(retryAt));
        return;
      }
    }
    if (seconds > granted) {
      const dueAt = nextLook({ ...call, grantedSeconds: seconds }, policy, now());
      await setGranted(database, call.id, { seconds, dueAt });
      await addToTimeline(database, call.id, {
        at: now(),
        kind: 'credit',
        message: 'credit extended',
        detail: { seconds },
      });
    } else if (last) {
      await hangUp(call, 'ALLOTTED_TIMEOUT');
    } else {
      await setDue(database, call.id, paidUntil(call));
    }
  }

  return {
    async see(callId) {
      const call = await findLive(database, callId);
      if (call === undefined) {
        return;
      }
      const duty = dutyOf(call, policy, now());
      switch (duty.kind) {
        case 'wait':
          await setDue(database, callId, duty.until);
          break;
        case 'hang-up':
          await hangUp(call, duty.cause);
          break;
        case 'extend':
          await extend(call, duty.wanted, duty.last);
          break;
        case 'bury':
          log.warn({ callId }, 'the switch did not end a call in time; it counts as ended');
          await progress.apply({ kind: 'ended', callId, at: now(), cause: duty.cause });
          break;
      }
    },
  };
}
