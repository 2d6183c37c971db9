/** Why a call ended: FreeSWITCH's names with their Q.850 numbers, or FreeSWITCH's own numbers where Q.850 has none. */
export const hangupCauses = {
  UNALLOCATED_NUMBER: 1,
  NO_ROUTE_DESTINATION: 3,
  NORMAL_CLEARING: 16,
  USER_BUSY: 17,
  NO_USER_RESPONSE: 18,
  NO_ANSWER: 19,
  SUBSCRIBER_ABSENT: 20,
  CALL_REJECTED: 21,
  NUMBER_CHANGED: 22,
  DESTINATION_OUT_OF_ORDER: 27,
  INVALID_NUMBER_FORMAT: 28,
  NORMAL_UNSPECIFIED: 31,
  NORMAL_CIRCUIT_CONGESTION: 34,
  NETWORK_OUT_OF_ORDER: 38,
  NORMAL_TEMPORARY_FAILURE: 41,
  SWITCH_CONGESTION: 42,
  RECOVERY_ON_TIMER_EXPIRE: 102,
  ORIGINATOR_CANCEL: 487,
  ALLOTTED_TIMEOUT: 602,
  USER_NOT_REGISTERED: 606,
} as const;

export type HangupCause = keyof typeof hangupCauses;

const byNumber = new Map<number, HangupCause>(
  Object.entries(hangupCauses).map(([name, number]) => [number, name as HangupCause]),
);

export const codeOf = (cause: HangupCause): string => String(hangupCauses[cause]);

export const isHangupCause = (text: string): text is HangupCause => Object.hasOwn(hangupCauses, text);

/** Zero stands for a plain BYE; unknown numbers are "unspecified". */
export function causeOf(number: number, { answered }: { answered: boolean }): HangupCause {
  if (number === 0) {
    return answered ? 'NORMAL_CLEARING' : 'NORMAL_UNSPECIFIED';
  }
  return byNumber.get(number) ?? 'NORMAL_UNSPECIFIED';
}

/** Q.850's "requested channel unavailable": the cause of a leg that Asterisk ends because it has sent no audio for too long. */
const SILENT_LEG = 44;

/** The cause of a call whose destination has gone. */
export function causeOfCalleeGone(number: number, { answered }: { answered: boolean }): HangupCause {
  const known = causeOf(number, { answered });
  if (!answered) {
    return known;
  }
  return number === SILENT_LEG
    ? 'RECOVERY_ON_TIMER_EXPIRE'
    : known === 'NORMAL_UNSPECIFIED'
      ? 'NORMAL_CLEARING'
      : known;
}

/** The cause of a call whose caller has gone. `pickedUp`: the caller's own softphone was answered. */
export function causeOfCallerGone(number: number, call: { answered: boolean; pickedUp: boolean }): HangupCause {
  if (call.answered) {
    return number === SILENT_LEG ? 'RECOVERY_ON_TIMER_EXPIRE' : 'NORMAL_CLEARING';
  }
  if (call.pickedUp) {
    return 'ORIGINATOR_CANCEL';
  }
  const known = causeOf(number, call);
  return known === 'NORMAL_CLEARING' || known === 'NORMAL_UNSPECIFIED' ? 'NO_USER_RESPONSE' : known;
}

/** The Q.850 number for the switch; causes that Q.850 lacks are sent as normal clearing. */
export function q850Of(cause: HangupCause): number {
  const number = hangupCauses[cause];
  return number > 127 ? hangupCauses.NORMAL_CLEARING : number;
}
