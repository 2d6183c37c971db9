import { setTimeout as delay } from 'node:timers/promises';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Database } from '@sabia/service-kit/postgres/database';
import { CALLEE_CALLED, dutyOf, placingOf, TAKEOVER } from '../domain/live-call';
import { mayPlaceAgain } from '../domain/lost-call';
import type { LiveCall, TimePolicy } from '../domain/live-call';
import type { RecordingUrls } from '../domain/recording-url';
import { callAnswered, callRinging } from '../events/published';
import { hasCancelled } from '../storage/edges';
import { setDue } from '../storage/live-calls';
import { fetchRecordingAt, noteBegun } from '../storage/recordings';
import { findSighting } from '../storage/switch-sightings';
import { addToTimelines, findInTimeline } from '../storage/timeline';
import type { EntryOfCall } from '../storage/timeline';
import { markAnswered, markEnded, markRinging } from '../storage/transitions';
import type { AnswerOfCall, EndOfCall, ReportOfCall } from '../storage/transitions';
import type { CallMetrics } from '../call-metrics';
import { endRinging, findPlacing, letRing, lineUpAgain } from '../storage/waiting-calls';
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
/** How much longer an edge may take that is slow. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 250;

type Gone = SwitchEvent & { kind: 'gone' };

interface AskedCarrier {
  at: Date;
  /** Not given: its node asked it directly. */
  edge: string | undefined;
}

export function createCallProgress(options: CallProgressOptions): CallProgress {
  const { database, outbox, plane, policy, metrics, urls, onLinedUp, onEnded, now } = options;

  async function writeAnswers(answers: AnswerOfCall[]): Promise<void[]> {
    await database.transaction(async (tx) => {
      const calls = await markAnswered(tx, answers);
      if (calls.length === 0) return;
      await setDue(
        tx,
        calls.map((call) => ({ callId: call.id, dueAt: nextLook(call, policy, now()) })),
      );
      await outbox.write(tx, calls.map(callAnswered));
      tx.afterCommit(() => calls.forEach((call) => metrics.answered(call)));
    });
    return answers.map(() => undefined);
  }

  async function writeEnds(ends: EndOfCall[]): Promise<void[]> {
    await database.transaction(async (tx) => {
      const at = now();
      const audioAt = new Date(at.getTime() + plane.recordingSettlesMs);
      const calls = await markEnded(tx, ends, { maximumSeconds: policy.maximumSeconds, now: at, audioAt });
      const recorded = new Set(calls.filter(({ hasRecording }) => hasRecording).map(({ id }) => id));
      await publishEnds(tx, outbox, { calls, recorded, urls });
      tx.afterCommit(() => calls.forEach((call) => metrics.ended(call)));
      if (onEnded) tx.afterCommit(onEnded);
    });
    return ends.map(() => undefined);
  }

  async function writeEntries(entries: EntryOfCall[]): Promise<void[]> {
    await addToTimelines(database, entries);
    return entries.map(() => undefined);
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
  const entries = createBatcher<EntryOfCall, void>({ batchSize: BATCH, write: writeEntries });
  const answers = createBatcher<AnswerOfCall, void>({ batchSize: BATCH, write: writeAnswers });
  const ringing = createBatcher<ReportOfCall & { at: Date }, void>({ batchSize: BATCH, write: writeRinging });
  const ended = createBatcher<EndOfCall, void>({ batchSize: BATCH, write: writeEnds });

  /** The carrier that was asked for the callee since the call was placed; `edge`: through which edge. */
  async function askedCarrier({ id, type, placedAt, startedAt }: LiveCall): Promise<AskedCarrier | undefined> {
    if (type !== 'outbound') return undefined;
    const entry = await findInTimeline(database, id, { message: CALLEE_CALLED, since: placedAt ?? startedAt });
    return entry && { at: entry.at, edge: (entry.detail as { edge?: string } | undefined)?.edge };
  }

  /** Ends what still rings because of the call. False: a carrier lets the callee ring on, and nobody can tell it to stop. */
  async function silence(call: LiveCall, from: string, asked: AskedCarrier | undefined): Promise<boolean> {
    if (asked !== undefined && asked.edge === undefined) return false;
    const lostAt = await endRinging(database, { callId: call.id, placing: placingOf(call.attempt), from });
    await delay(RINGING_MS);
    if (asked?.edge === undefined || lostAt === undefined) return true;
    const cancel = { edge: asked.edge, askedAt: asked.at, lostAt };
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_MS) {
      if (await hasCancelled(database, cancel)) return true;
      await delay(LOOK_MS);
    }
    return false;
  }

  /** True: the call is back in line, or about to be. */
  async function placeAgain(call: LiveCall, history: CallHistory, by?: LeaseTerm): Promise<boolean> {
    const { id: callId, switchName: from } = call;
    if (from === null || !mayPlaceAgain(call, history, policy, now())) {
      return false;
    }
    const asked = await askedCarrier(call);
    const isQuiet = history.wasLetGo === true && asked === undefined;
    if (!isQuiet && !(await silence(call, from, asked))) {
      return false;
    }
    // If it is not back in line, another replica has seen to it, or somebody has hung up: the next look finds out.
    await database.transaction(async (tx) => {
      if (!(await lineUpAgain(tx, { callId, placing: placingOf(call.attempt), from, at: now(), by }))) return;
      await letRing(tx, callId);
      tx.afterCommit(onLinedUp);
    });
    return true;
  }

  /** The call has gone, and nobody knows why: it ended when the switch's records say so, else when the switch was last seen. */
  async function gone({ callId, call, cause, seenAt, left, wasCancelled }: Gone, by?: LeaseTerm): Promise<void> {
    const records = await plane.historyOf(call, left);
    const placing = await findPlacing(database, callId);
    if (placing !== undefined && placing.nth !== placingOf(call.attempt)) {
      // It has been placed again since, perhaps on the same switch.
      return;
    }
    // The switch was only frozen, and has heard that the edges ended what it let ring: that is not the end of the call.
    const wasSilenced = (wasCancelled ?? records.wasCancelled ?? false) && placing?.isSilenced === true;
    const history = wasSilenced ? {} : records;
    if ((left === undefined || wasSilenced) && (await placeAgain(call, history, by))) {
      return;
    }
    const sighting = call.switchName === null ? undefined : await findSighting(database, call.switchName);
    const { answeredAt, end = { at: seenAt ?? sighting ?? now(), cause } } = history;
    if (by === undefined && call.answeredAt !== null && call.switchName !== null) {
      // Nobody drives the switch: an extension that was to take a leg over would ring on, or begin to when the switch wakes up.
      await endRinging(database, { callId, placing: TAKEOVER, from: call.switchName });
    }
    if (answeredAt !== undefined) {
      await answers.add({ callId, at: answeredAt, by });
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
          await answers.add({ callId, at: event.at, by });
          break;
        case 'ended':
          await ended.add({ callId, at: event.at, cause: event.cause, by });
          break;
        case 'gone':
          await gone(event, by);
          break;
        case 'leg':
          await entries.add({ callId, at: event.at, kind: 'leg', message: event.message, detail: event.detail });
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
