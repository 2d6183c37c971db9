import { m } from '../paraglide/messages';
import type { EndCause, EndedCall, Line, MicrophoneState, PhoneCall } from './engine/snapshot';
import type { Rating } from './engine/quality';

/** What the phone is doing, in a few words. `now`: to count down to the next attempt. */
export function lineInWords(line: Line, now: number): string {
  switch (line.state) {
    case 'loading':
    case 'connecting':
      return m.phone_line_connecting();
    case 'no-extension':
      return m.phone_line_no_extension();
    case 'elsewhere':
      return m.phone_line_elsewhere();
    case 'registered':
      return m.phone_line_registered();
    case 'reconnecting':
      return m.phone_line_reconnecting({ seconds: Math.max(0, Math.ceil((line.retryAt - now) / 1000)) });
    case 'refused':
      return m.phone_line_refused();
  }
}

/** Why the phone cannot be used, and what to do about it; undefined: it can. */
export function troubleInWords(line: Line): string | undefined {
  if (line.state === 'reconnecting') {
    return {
      offline: m.phone_lost_offline,
      'connection-lost': m.phone_lost_connection,
      'no-response': m.phone_lost_no_response,
    }[line.why]();
  }
  if (line.state === 'refused') {
    return {
      credentials: m.phone_refused_credentials,
      displaced: m.phone_refused_displaced,
      api: m.phone_refused_api,
    }[line.why]();
  }
  return undefined;
}

/** Undefined: there is nothing wrong with the microphone. */
export function microphoneInWords(microphone: MicrophoneState): string | undefined {
  switch (microphone) {
    case 'asking':
      return m.phone_microphone_asking();
    case 'denied':
      return m.phone_microphone_denied();
    case 'missing':
      return m.phone_microphone_missing();
    case 'in-use':
      return m.phone_microphone_in_use();
    case 'insecure-page':
      return m.phone_microphone_insecure();
    case 'failed':
      return m.phone_microphone_failed();
    default:
      return undefined;
  }
}

export function phaseInWords({ phase, direction, held, media, transferringTo }: PhoneCall): string {
  if (phase === 'rejoining') return m.phone_phase_rejoining();
  if (media === 'reconnecting') return m.phone_phase_reconnecting();
  if (transferringTo !== undefined) return m.phone_phase_transferring({ extension: transferringTo });
  if (held) return m.phone_phase_held();
  if (phase === 'talking') return m.phone_phase_talking();
  if (phase === 'ringing') return direction === 'incoming' ? m.phone_phase_incoming() : m.phone_phase_click_to_call();
  return m.phone_phase_calling();
}

export function ratingInWords(rating: Rating): string {
  return { good: m.phone_quality_good, fair: m.phone_quality_fair, poor: m.phone_quality_poor }[rating]();
}

const hangupWords: Record<string, () => string> = {
  NORMAL_CLEARING: m.phone_end_normal,
  ORIGINATOR_CANCEL: m.phone_end_cancelled,
  USER_BUSY: m.phone_end_busy,
  NO_ANSWER: m.phone_end_no_answer,
  NO_USER_RESPONSE: m.phone_end_no_answer,
  SUBSCRIBER_ABSENT: m.phone_end_absent,
  USER_NOT_REGISTERED: m.phone_end_absent,
  CALL_REJECTED: m.phone_end_rejected,
  UNALLOCATED_NUMBER: m.phone_end_unallocated,
  INVALID_NUMBER_FORMAT: m.phone_end_unallocated,
  NO_ROUTE_DESTINATION: m.phone_end_unallocated,
  NUMBER_CHANGED: m.phone_end_unallocated,
  ALLOTTED_TIMEOUT: m.phone_end_time_used_up,
  RECOVERY_ON_TIMER_EXPIRE: m.phone_end_silent,
};

const refusalWords: Record<string, () => string> = {
  INSUFFICIENT_CREDIT: m.phone_end_no_credit,
  USER_NOT_REGISTERED: m.phone_end_not_registered,
  'VALIDATION_ERROR:called': m.phone_end_bad_number,
  TOO_MANY_CALLS: m.phone_end_too_many_calls,
};

const phoneWords: Record<(EndCause & { kind: 'phone' })['code'], () => string> = {
  declined: m.phone_end_declined,
  'no-microphone': m.phone_end_no_microphone,
  lost: m.phone_end_lost,
  transferred: m.phone_end_transferred,
};

/** Why a call ended. */
export function endInWords({ cause, message }: Pick<EndedCall, 'cause' | 'message'>): string {
  switch (cause.kind) {
    case 'hangup':
      return (hangupWords[cause.code] ?? m.phone_end_network)();
    case 'refused':
      return refusalWords[cause.code]?.() ?? message ?? m.phone_end_network();
    case 'phone':
      return phoneWords[cause.code]();
  }
}
