import type { HangupCause } from './hangup-cause';

const reasons: Record<number, string> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  484: 'Address Incomplete',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  500: 'Server Internal Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
  606: 'Not Acceptable',
};

/** The words of RFC 3261 for a status. */
export const reasonOf = (status: number): string | undefined => reasons[status];

const statuses: Partial<Record<HangupCause, number>> = {
  UNALLOCATED_NUMBER: 404,
  NO_ROUTE_DESTINATION: 404,
  USER_BUSY: 486,
  NO_USER_RESPONSE: 408,
  NO_ANSWER: 480,
  SUBSCRIBER_ABSENT: 480,
  CALL_REJECTED: 403,
  NUMBER_CHANGED: 410,
  DESTINATION_OUT_OF_ORDER: 502,
  INVALID_NUMBER_FORMAT: 484,
  NORMAL_CIRCUIT_CONGESTION: 503,
  SWITCH_CONGESTION: 503,
};

/** With which status Asterisk refuses a call that ended with this cause before it was answered. */
export const statusOfCause = (cause: HangupCause | null): number => (cause && statuses[cause]) ?? 480;
