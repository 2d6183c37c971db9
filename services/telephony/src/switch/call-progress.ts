import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { HangupCause } from '../domain/hangup-cause';
import { dutyOf } from '../domain/live-call';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import { callAnswered, callEnded } from '../events/published';
import { findLive, setDue } from '../storage/live-calls';
import { expectAudio, expectRecording, fetchRecordingAt } from '../storage/recordings';
import { addToTimeline } from '../storage/timeline';
import { markAnswered, markEnded, markRinging } from '../storage/transitions';
import type { CallMetrics } from './call-metrics';
import type { CallSwitch, SwitchEvent } from './port';

export interface CallProgress {
  /** Writes what has happened, with its event, in one transaction; what was known already changes nothing. */
  apply(event: SwitchEvent): Promise<void>;
}

export interface CallProgressOptions {
  database: Database;
  outbox: Outbox;
  callSwitch: Pick<CallSwitch, 'name' | 'recordingSettlesMs'>;
  policy: TimePolicy;
  metrics: Pick<CallMetrics, 'answered' | 'ended'>;
  now: () => Date;
}

export function createCallProgress(options: CallProgressOptions): CallProgress {
  const { database, outbox, callSwitch, policy, metrics, now } = options;

  async function answered(callId: string, at: Date): Promise<void> {
    await database.transaction(async (tx) => {
      const call = await markAnswered(tx, callId, at);
      if (call === undefined) {
        return;
      }
      const live = await findLive(tx, callId);
      if (live !== undefined) {
        await setDue(tx, callId, nextLook(live, policy, now()));
      }
      if (call.record) {
        await expectRecording(tx, { callId, accountId: call.accountId, switchName: callSwitch.name });
      }
      await outbox.write(tx, [callAnswered(call)]);
      tx.afterCommit(() => metrics.answered(call));
    });
  }

  async function ended(callId: string, at: Date, cause: HangupCause): Promise<void> {
    await database.transaction(async (tx) => {
      const call = await markEnded(tx, callId, { at, cause });
      if (call === undefined) {
        return;
      }
      if (call.record && call.answeredAt !== null) {
        await expectAudio(tx, callId, new Date(now().getTime() + callSwitch.recordingSettlesMs));
      }
      await outbox.write(tx, [callEnded(call)]);
      tx.afterCommit(() => metrics.ended(call));
    });
  }

  return {
    async apply(event) {
      const { callId, at } = event;
      switch (event.kind) {
        case 'ringing':
          await markRinging(database, callId);
          break;
        case 'answered':
          await answered(callId, at);
          break;
        case 'ended':
          await ended(callId, at, event.cause);
          break;
        case 'leg':
          await addToTimeline(database, callId, { at, kind: 'leg', message: event.message, detail: event.detail });
          break;
        case 'recorded':
          await fetchRecordingAt(database, callId, at);
          break;
      }
    },
  };
}

/** When somebody has to look at a call again; at once, if there is something to do. */
export function nextLook(call: LiveCall, policy: TimePolicy, now: Date): Date {
  const duty = dutyOf(call, policy, now);
  return duty.kind === 'wait' ? duty.until : now;
}
