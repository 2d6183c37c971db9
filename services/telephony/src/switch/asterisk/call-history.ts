import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isUndefinedTable } from '@sabia/service-kit/postgres/errors';
import { causeOfCalleeGone, causeOfCallerGone, hangupCauses } from '../../domain/hangup-cause';
import type { HangupCause } from '../../domain/hangup-cause';
import type { LiveCall } from '../../domain/live-call';
import { listLegEvents } from '../../storage/leg-events';
import type { LegEvent } from '../../storage/leg-events';
import type { CallHistory } from '../port';
import { aChannelOf, bChannelOf } from './call-legs';
import { createSwitchClock } from './switch-clock';
import type { SwitchClock } from './switch-clock';

const WRITTEN_MS = 500;

/** Reads what the nodes have recorded of calls, which they do even while no replica is connected. */
export function createHistory({ database, log, now }: { database: Database; log: Logger; now: () => Date }) {
  let told = false;
  const clocks = new Map<string, SwitchClock>();

  function clockOf(switchName: string): SwitchClock {
    const clock = clocks.get(switchName) ?? createSwitchClock({ log, now });
    clocks.set(switchName, clock);
    return clock;
  }

  /** Without the table the history is empty: the call must end all the same. */
  const eventsOf = (legs: string[]): Promise<LegEvent[]> =>
    listLegEvents(database, legs).catch((error: unknown) => {
      if (!isUndefinedTable(error)) throw error;
      if (!told) log.error('there is no table sip.leg_events: run the migrations of extensions, then restart Asterisk');
      told = true;
      return [];
    });

  async function read(call: LiveCall, left?: string): Promise<CallHistory> {
    const clock = clockOf(call.switchName ?? '');
    const legs = [aChannelOf(call), bChannelOf(call.id, call.attempt)];
    const events = await eventsOf(legs);
    return historyIn(
      events
        .filter(({ leg, kind }) => kind === 'ANSWER' || leg !== left)
        .map((event) => ({ ...event, at: clock.read(event.at) })),
      call,
    );
  }

  return {
    clockOf,
    /** Without the end of the leg `left`. */
    read,
    /** Asterisk records the end of a leg a moment after it has gone. */
    async readSettled(call: LiveCall, left?: string): Promise<CallHistory> {
      const history = await read(call, left);
      if (history.end !== undefined) {
        return history;
      }
      await delay(WRITTEN_MS);
      return read(call, left);
    },
    async hasRecord(channelId: string): Promise<boolean> {
      if ((await eventsOf([channelId])).length > 0) return true;
      await delay(WRITTEN_MS);
      return (await eventsOf([channelId])).length > 0;
    },
  };
}

/** The call is answered when the callee answers, and ends with the first leg that ends. */
export function historyIn(
  events: readonly LegEvent[],
  call: Pick<LiveCall, 'id' | 'aChannel' | 'attempt' | 'answeredAt'>,
): CallHistory {
  const caller = aChannelOf(call);
  const answer = events.find(({ leg, kind }) => leg !== caller && kind === 'ANSWER');
  const end = events.find(({ kind }) => kind === 'HANGUP');
  const answered = answer !== undefined || call.answeredAt !== null;
  const pickedUp = events.some(({ leg, kind }) => leg === caller && kind === 'ANSWER') || call.aChannel !== null;
  const progress = { caller, answered, pickedUp };
  return {
    ...(answer && { answeredAt: answer.at }),
    ...(end && { end: { at: end.at, cause: causeOfEnd(end, progress) } }),
    ...(end && wasLetGo(end, progress) && events.every(({ leg }) => leg === caller) && { wasLetGo: true }),
    ...(end && wasCancelled(end, progress) && { wasCancelled: true }),
  };
}

interface Progress {
  /** The caller's leg. */
  caller: string;
  answered: boolean;
  pickedUp: boolean;
}

function causeOfEnd({ leg, cause, endedBy }: LegEvent, { caller, ...call }: Progress): HangupCause {
  const number = cause ?? 0;
  if ((!call.answered && number === GIVEN_UP) || wasLetGo({ leg, cause, endedBy }, { caller, ...call })) {
    return 'NORMAL_TEMPORARY_FAILURE';
  }
  return leg === caller ? causeOfCallerGone(number, call) : causeOfCalleeGone(number, call);
}

/** Asterisk ends the leg of a caller who picks up while no replica is connected. */
const wasLetGo = (
  { leg, cause, endedBy }: Pick<LegEvent, 'leg' | 'cause' | 'endedBy'>,
  { caller, answered, pickedUp }: Progress,
): boolean => leg === caller && !answered && pickedUp && (endedBy === null || cause === GIVEN_UP);

/** The phone, or the carrier, says that the leg was cancelled, which the switch has not done. */
const wasCancelled = ({ leg, cause, endedBy }: LegEvent, { caller, answered, pickedUp }: Progress): boolean =>
  cause === INTERWORKING && endedBy !== null && !(leg === caller ? pickedUp : answered);

/** What Asterisk makes of 487, among others. */
const INTERWORKING = 127;

/**
 * Asterisk ends a leg without a dialogue as if it had been refused (603), even one that it has not dialled yet. In its records that
 * looks like a refusal by the phone or the callee, so neither counts as one.
 */
const GIVEN_UP = hangupCauses.CALL_REJECTED;
