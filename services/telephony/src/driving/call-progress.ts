import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import { dutyOf } from '../domain/live-call';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import type { RecordingUrls } from '../domain/recording-url';
import { callAnswered, callRinging } from '../events/published';
import { findLive, setDue } from '../storage/live-calls';
import { expectAudio, expectRecording, fetchRecordingAt, noteBegun } from '../storage/recordings';
import { findSighting } from '../storage/switch-sightings';
import { addToTimeline } from '../storage/timeline';
import { markAnswered, markEnded, markRinging } from '../storage/transitions';
import type { EndOfCall } from '../storage/transitions';
import { expectEffects } from '../storage/unsettled-calls';
import type { CallMetrics } from '../call-metrics';
import type { CallSwitch, SwitchEvent } from '../switch/port';
import { publishEnds } from './publish-ends';

export interface CallProgress {
  /** Writes what the switch reports, with its event, in one transaction; a repeated report changes nothing. */
  apply(event: SwitchEvent): Promise<void>;
}

export interface CallProgressOptions {
  database: Database;
  outbox: Outbox;
  callSwitch: Pick<CallSwitch, 'name' | 'recordingSettlesMs' | 'historyOf'>;
  policy: TimePolicy;
  metrics: Pick<CallMetrics, 'answered' | 'ended'>;
  urls: Pick<RecordingUrls, 'urlOf'>;
  now: () => Date;
}

const BATCH = 64;

export function createCallProgress(options: CallProgressOptions): CallProgress {
  const { database, outbox, callSwitch, policy, metrics, urls, now } = options;

  async function answered(callId: string, at: Date): Promise<void> {
    await database.transaction(async (tx) => {
      const call = await markAnswered(tx, callId, at);
      if (call === undefined) {
        return;
      }
      const [live] = await findLive(tx, [callId]);
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

  async function expectAudioOf(tx: Transaction, calls: Call[]): Promise<Set<string>> {
    const answered = calls.filter(({ record, answeredAt }) => record && answeredAt !== null).map(({ id }) => id);
    const audioAt = new Date(now().getTime() + callSwitch.recordingSettlesMs);
    return answered.length === 0 ? new Set() : expectAudio(tx, answered, audioAt);
  }

  async function writeEnds(ends: EndOfCall[]): Promise<void[]> {
    await database.transaction(async (tx) => {
      const calls = await markEnded(tx, ends, policy);
      await expectEffects(
        tx,
        calls.map(({ id }) => id),
        now(),
      );
      const recorded = await expectAudioOf(tx, calls);
      await publishEnds(tx, outbox, { calls, recorded, urls });
      tx.afterCommit(() => calls.forEach((call) => metrics.ended(call)));
    });
    return ends.map(() => undefined);
  }

  async function writeRinging(reports: { callId: string; at: Date }[]): Promise<void[]> {
    const times = new Map(reports.map(({ callId, at }) => [callId, at]));
    await database.transaction(async (tx) => {
      const calls = await markRinging(tx, [...times.keys()]);
      await outbox.write(
        tx,
        calls.map((call) => callRinging(call, times.get(call.id) ?? now())),
      );
    });
    return reports.map(() => undefined);
  }

  // Batched: calls begin to ring as fast as they are placed, and end all at once when a switch or a carrier is lost.
  const ringing = createBatcher<{ callId: string; at: Date }, void>({ batchSize: BATCH, write: writeRinging });
  const ended = createBatcher<EndOfCall, void>({ batchSize: BATCH, write: writeEnds });

  /** No replica saw the call end: it ended when the switch's records say so, else when the switch was last seen. */
  async function gone({ callId, call, cause, seenAt, left }: SwitchEvent & { kind: 'gone' }): Promise<void> {
    const lastSeenAt = seenAt ?? (await findSighting(database, callSwitch.name)) ?? now();
    const { answeredAt, end = { at: lastSeenAt, cause } } = await callSwitch.historyOf(call, left);
    if (answeredAt !== undefined) {
      await answered(callId, answeredAt);
    }
    await ended.add({ callId, ...end });
  }

  return {
    async apply(event) {
      const { callId } = event;
      switch (event.kind) {
        case 'ringing':
          await ringing.add({ callId, at: event.at });
          break;
        case 'answered':
          await answered(callId, event.at);
          break;
        case 'ended':
          await ended.add({ callId, at: event.at, cause: event.cause });
          break;
        case 'gone':
          await gone(event);
          break;
        case 'leg':
          await addToTimeline(database, callId, {
            at: event.at,
            kind: 'leg',
            message: event.message,
            detail: event.detail,
          });
          break;
        case 'recording':
          await noteBegun(database, callId, event.begun);
          break;
        case 'recorded':
          await fetchRecordingAt(database, callId, event.at);
          break;
      }
    },
  };
}

/** When the driver has to look at the call again; now, if there is something to do. */
export function nextLook(call: LiveCall, policy: TimePolicy, now: Date): Date {
  const duty = dutyOf(call, policy, now);
  return duty.kind === 'wait' ? duty.until : now;
}
