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
import type { SwitchClock } from './switch-clock';

/** Reads what Asterisk has recorded of a call, which it does even while no replica is connected. */
export function createHistoryReader({ database, log }: { database: Database; log: Logger }) {
  let told = false;

  /** Without the table the history is empty: the call must end all the same. */
  const eventsOf = (legs: string[]): Promise<LegEvent[]> =>
    listLegEvents(database, legs).catch((error: unknown) => {
      if (!isUndefinedTable(error)) throw error;
      if (!told) log.error('there is no table sip.leg_events: run the migrations of extensions, then restart Asterisk');
      told = true;
      return [];
    });

  return async (call: LiveCall, clock: Pick<SwitchClock, 'read'>, left?: string): Promise<CallHistory> => {
    const legs = [aChannelOf(call), bChannelOf(call.id, call.attempt)];
    const events = await eventsOf(legs);
    return historyIn(
      events
        .filter(({ leg, kind }) => kind === 'ANSWER' || leg !== left)
        .map((event) => ({ ...event, at: clock.read(event.at) })),
      call,
    );
  };
}

/** The call is answered when the callee answers, and ends with the first leg that ends. */
export function historyIn(
  events: readonly LegEvent[],
  call: Pick<LiveCall, 'id' | 'aChannel' | 'answeredAt'>,
): CallHistory {
  const caller = aChannelOf(call);
  const answer = events.find(({ leg, kind }) => leg !== caller && kind === 'ANSWER');
  const end = events.find(({ kind }) => kind === 'HANGUP');
  const answered = answer !== undefined || call.answeredAt !== null;
  const pickedUp = events.some(({ leg, kind }) => leg === caller && kind === 'ANSWER') || call.aChannel !== null;
  return {
    ...(answer && { answeredAt: answer.at }),
    ...(end && { end: { at: end.at, cause: causeOfEnd(end, { caller, answered, pickedUp }) } }),
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
  if (leg !== caller) {
    return !call.answered && number === GIVEN_UP ? 'NORMAL_TEMPORARY_FAILURE' : causeOfCalleeGone(number, call);
  }
  // Asterisk ends the leg of a caller who picks up while no replica is connected.
  const wasLetGo = call.pickedUp && (endedBy === null || number === GIVEN_UP);
  return !call.answered && wasLetGo ? 'NORMAL_TEMPORARY_FAILURE' : causeOfCallerGone(number, call);
}

/**
 * Asterisk ends a leg without a dialogue as if it had been refused (603), even one that it has not dialled yet. In its records that
 * looks like a refusal by the callee, so neither counts as one.
 */
const GIVEN_UP = hangupCauses.CALL_REJECTED;
