import type { Tone } from '../../components/ui/badge';
import { m } from '../../paraglide/messages';
import { formatPhoneNumber } from '../../phone/phone-number';
import type { Call } from './call-queries';
import { causeWords } from './causes';

const statusNames: Record<string, () => string> = {
  queued: m.calls_status_queued,
  ringing: m.calls_status_ringing,
  answered: m.calls_status_answered,
  ended: m.calls_status_ended,
};

const directionNames: Record<string, () => string> = {
  outbound: m.calls_direction_outbound,
  inbound: m.calls_direction_inbound,
  internal: m.calls_direction_internal,
};

export const statusName = (status: string): string => statusNames[status]?.() ?? status;
export const directionName = (direction: string): string => directionNames[direction]?.() ?? direction;
export const statuses = Object.keys(statusNames);
export const directions = Object.keys(directionNames);

export const isLive = ({ status }: Pick<Call, 'status'>): boolean => status !== 'ended';

/** Causes that somebody has to do something about; others are part of calling people. */
const faults = new Set([
  'NETWORK_OUT_OF_ORDER',
  'NORMAL_TEMPORARY_FAILURE',
  'SWITCH_CONGESTION',
  'NORMAL_CIRCUIT_CONGESTION',
  'NO_ROUTE_DESTINATION',
  'RECOVERY_ON_TIMER_EXPIRE',
  'ALLOTTED_TIMEOUT',
  'USER_NOT_REGISTERED',
  'UNALLOCATED_NUMBER',
  'INVALID_NUMBER_FORMAT',
]);

/** What a badge says of the call: its state while it lasts, then why it ended. */
export function stateOf({ status, hangup_cause, answered_at }: Call): { label: string; tone: Tone } {
  if (status === 'answered') return { label: statusName(status), tone: 'good' };
  if (status !== 'ended') return { label: statusName(status), tone: 'info' };
  const label = hangup_cause === null ? statusName(status) : causeWords(hangup_cause).title;
  if (hangup_cause !== null && faults.has(hangup_cause)) return { label, tone: 'bad' };
  return { label, tone: answered_at === null ? 'warn' : 'neutral' };
}

/** Who calls: an extension or a number, or the platform itself, which proves a number. */
export const callerOf = ({ from }: Pick<Call, 'from'>): string =>
  from === '' ? m.calls_from_proof() : formatPhoneNumber(from);

export function personOf({ first_name, last_name, email }: Call): string {
  return `${first_name} ${last_name}`.trim() || email;
}
