/** Q.850 causes that Asterisk puts into the Reason header, by the names that the API gives them. */
const names: Record<number, string> = {
  1: 'UNALLOCATED_NUMBER',
  3: 'NO_ROUTE_DESTINATION',
  16: 'NORMAL_CLEARING',
  17: 'USER_BUSY',
  18: 'NO_USER_RESPONSE',
  19: 'NO_ANSWER',
  20: 'SUBSCRIBER_ABSENT',
  21: 'CALL_REJECTED',
  22: 'NUMBER_CHANGED',
  27: 'DESTINATION_OUT_OF_ORDER',
  28: 'INVALID_NUMBER_FORMAT',
  31: 'NORMAL_UNSPECIFIED',
  34: 'NORMAL_CIRCUIT_CONGESTION',
  38: 'NETWORK_OUT_OF_ORDER',
  41: 'NORMAL_TEMPORARY_FAILURE',
  42: 'SWITCH_CONGESTION',
  44: 'RECOVERY_ON_TIMER_EXPIRE',
  102: 'RECOVERY_ON_TIMER_EXPIRE',
};

/** The cause in a header like `Q.850;cause=17`; a phone that gives no reason hung up normally. */
export function causeOfReason(reason: string | undefined): string {
  const number = Number(/Q\.850\s*;.*?\bcause\s*=\s*(\d+)/i.exec(reason ?? '')?.[1] ?? 16);
  return names[number] ?? 'NORMAL_UNSPECIFIED';
}
