import { setTimeout as delay } from 'node:timers/promises';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import { CALLEE_CALLED, dutyOf } from '../domain/live-call';
import { mayPlaceAgain } from '../domain/lost-call';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import type { RecordingUrls } from '../domain/recording-url';
import { callAnswered, callRinging } from '../events/published';
import { findLive, setDue } from '../storage/live-calls';
import { expectAudio, expectRecording, fetchRecordingAt, noteBegun } from '../storage/recordings';
import { findSighting } from '../storage/switch-sightings';
import { addToTimeline, isInTimeline } from '../storage/timeline';
import { markAnswered, markEnded, markRinging } from '../storage/transitions';
import type { EndOfCall, ReportOfCall } from '../storage/transitions';
import { expectEffects } from '../storage/unsettled-calls';
import type { CallMetrics } from '../call-metrics';
import { endRinging, letRing, lineUpAgain } from '../storage/waiting-calls';
import type { LeaseTerm } from '../storage/lease-fence';
import type { CallHistory, SwitchEvent, SwitchPlane } from '../switch/port';
import { publishEnds } from './publish-ends';

export interface CallProgress {
  /**
   * Writes what the switch reports, with its event, in one transaction; a repeated report changes nothing. `by`: the term of the
   * driver that reports it; what it reports after it lost its lease changes nothing. Not given: no replica drives the switch.
   */
  apply(event: SwitchEvent, by?: LeaseTerm): Promise<void>;
}

export interface CallProgressOptions {
  database: Database;
  outbox: Outbox;
  plane: Pick<SwitchPlane, 'recordingSettlesMs' | 'historyOf'>;
  /** There are calls in line. */
  onLinedUp: () => void;
  policy: TimePolicy;
  metrics: Pick<CallMetrics, 'answered' | 'ended'>;
  /** Calls have ended: what they used has become free. */
  onEnded?: () => void;
  urls: Pick<RecordingUrls, 'urlOf'>;
  now: () => Date;
}

const BATCH = 64;
/** The edges look twice a second for what they have to end. */
const RINGING_MS = 1_500;

type Gone = SwitchEvent & { kind: 'gone' };

export function createCallProgress(options: CallProgressOptions): CallProgress {
  const { database, outbox, plane, policy, metrics, urls, onLinedUp, onEnded, now } = options;

  async function answered(callId: string, at: Date, by?: LeaseTerm): Promise<void> {
    await database.transaction(async (tx) => {
      const call = await markAnswered(tx, { callId, at, by });
      if (call === undefined) {
        return;
      }
      const [live] = await findLive(tx, [callId]);
      if (live !== undefined) {
        await setDue(tx, callId, nextLook(live, policy, now()));
      }
      if (call.record && live?.switchName) {
        await expectRecording(tx, { callId, accountId: call.accountId, switchName: live.switchName });
      }
      await outbox.write(tx, [callAnswered(call)]);
      tx.afterCommit(() => metrics.answered(call));
    });
  }

  async function expectAudioOf(tx: Transaction, calls: Call[]): Promise<Set<string>> {
    const answered = calls.filter(({ record, answeredAt }) => record && answeredAt !== null).map(({ id }) => id);
    const audioAt = new Date(now().getTime() + plane.recordingSettlesMs);
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
      if (onEnded) tx.afterCommit(onEnded);
    });
    return ends.map(() => undefined);
  }

  async function writeRinging(reports: (ReportOfCall & { at: Date })[]): Promise<void[]> {
    const times = new Map(reports.map(({ callId, at }) => [callId, at]));
    await database.transaction(async (tx) => {
      const calls = await markRinging(tx, reports);
      await outbox.write(
        tx,
        calls.map((call) => callRinging(call, times.get(call.id) ?? now())),
      );
    });
    return reports.map(() => undefined);
  }

  // Batched: calls begin to ring as fast as they are placed, and end all at once when a switch or a carrier is lost.
  const ringing = createBatcher<ReportOfCall & { at: Date }, void>({ batchSize: BATCH, write: writeRinging });
  const ended = createBatcher<EndOfCall, void>({ batchSize: BATCH, write: writeEnds });

  /** A carrier that was asked lets the callee ring until it gives up: only the lost switch could tell it to stop. */
  const ringsBeyondCarrier = async ({ id, type, placedAt, startedAt }: LiveCall): Promise<boolean> =>
    type === 'outbound' && (await isInTimeline(database, id, { message: CALLEE_CALLED, since: placedAt ?? startedAt }));

  /** True: the call is back in line, or about to be. */
  async function placeAgain(call: LiveCall, history: CallHistory, by?: LeaseTerm): Promise<boolean> {
    const { id: callId, switchName: from } = call;
    if (from === null || !mayPlaceAgain(call, history, policy, now()) || (await ringsBeyondCarrier(call))) {
      return false;
    }
    if (history.wasLetGo !== true) {
      await endRinging(database, callId, from);
      await delay(RINGING_MS);
    }
    // If it is not back in line, another replica has seen to it, or somebody has hung up: the next look finds out.
    await database.transaction(async (tx) => {
      if (!(await lineUpAgain(tx, { callId, at: now(), by, from }))) return;
      await letRing(tx, callId);
      tx.afterCommit(onLinedUp);
    });
    return true;
  }

  /** No replica saw the call end: it ended when the switch's records say so, else when the switch was last seen. */
  async function gone({ callId, call, cause, seenAt, left }: Gone, by?: LeaseTerm): Promise<void> {
    const history = await plane.historyOf(call, left);
    if (left === undefined && (await placeAgain(call, history, by))) {
      return;
    }
    const sighting = call.switchName === null ? undefined : await findSighting(database, call.switchName);
    const { answeredAt, end = { at: seenAt ?? sighting ?? now(), cause } } = history;
    if (answeredAt !== undefined) {
      await answered(callId, answeredAt, by);
    }
    await ended.add({ callId, by, at: end.at, cause: end.cause });
  }

  return {
    async apply(event, by) {
      const { callId } = event;
      switch (event.kind) {
        case 'ringing':
          await ringing.add({ callId, at: event.at, by });
          break;
        case 'answered':
          await answered(callId, event.at, by);
          break;
        case 'ended':
          await ended.add({ callId, at: event.at, cause: event.cause, by });
          break;
        case 'gone':
          await gone(event, by);
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
