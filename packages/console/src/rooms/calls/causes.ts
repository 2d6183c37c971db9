import { m } from '../../paraglide/messages';

export interface CauseWords {
  /** A word or two, for a badge. */
  title: string;
  text: string;
  /** What to do about it; nothing about a call that ended well. */
  todo?: string;
}

/** The causes of services/telephony/src/domain/hangup-cause.ts, in words. */
const words = {
  UNALLOCATED_NUMBER: () => ({
    title: m.causes_unallocated_number_title(),
    text: m.causes_unallocated_number_text(),
    todo: m.causes_unallocated_number_todo(),
  }),
  NO_ROUTE_DESTINATION: () => ({
    title: m.causes_no_route_destination_title(),
    text: m.causes_no_route_destination_text(),
    todo: m.causes_no_route_destination_todo(),
  }),
  NORMAL_CLEARING: () => ({ title: m.causes_normal_clearing_title(), text: m.causes_normal_clearing_text() }),
  USER_BUSY: () => ({
    title: m.causes_user_busy_title(),
    text: m.causes_user_busy_text(),
    todo: m.causes_user_busy_todo(),
  }),
  NO_USER_RESPONSE: () => ({
    title: m.causes_no_user_response_title(),
    text: m.causes_no_user_response_text(),
    todo: m.causes_no_user_response_todo(),
  }),
  NO_ANSWER: () => ({
    title: m.causes_no_answer_title(),
    text: m.causes_no_answer_text(),
    todo: m.causes_no_answer_todo(),
  }),
  SUBSCRIBER_ABSENT: () => ({
    title: m.causes_subscriber_absent_title(),
    text: m.causes_subscriber_absent_text(),
    todo: m.causes_subscriber_absent_todo(),
  }),
  CALL_REJECTED: () => ({
    title: m.causes_call_rejected_title(),
    text: m.causes_call_rejected_text(),
    todo: m.causes_call_rejected_todo(),
  }),
  NUMBER_CHANGED: () => ({
    title: m.causes_number_changed_title(),
    text: m.causes_number_changed_text(),
    todo: m.causes_number_changed_todo(),
  }),
  DESTINATION_OUT_OF_ORDER: () => ({
    title: m.causes_destination_out_of_order_title(),
    text: m.causes_destination_out_of_order_text(),
    todo: m.causes_destination_out_of_order_todo(),
  }),
  INVALID_NUMBER_FORMAT: () => ({
    title: m.causes_invalid_number_format_title(),
    text: m.causes_invalid_number_format_text(),
    todo: m.causes_invalid_number_format_todo(),
  }),
  NORMAL_UNSPECIFIED: () => ({
    title: m.causes_normal_unspecified_title(),
    text: m.causes_normal_unspecified_text(),
    todo: m.causes_normal_unspecified_todo(),
  }),
  NORMAL_CIRCUIT_CONGESTION: () => ({
    title: m.causes_normal_circuit_congestion_title(),
    text: m.causes_normal_circuit_congestion_text(),
    todo: m.causes_normal_circuit_congestion_todo(),
  }),
  NETWORK_OUT_OF_ORDER: () => ({
    title: m.causes_network_out_of_order_title(),
    text: m.causes_network_out_of_order_text(),
    todo: m.causes_network_out_of_order_todo(),
  }),
  NORMAL_TEMPORARY_FAILURE: () => ({
    title: m.causes_normal_temporary_failure_title(),
    text: m.causes_normal_temporary_failure_text(),
    todo: m.causes_normal_temporary_failure_todo(),
  }),
  SWITCH_CONGESTION: () => ({
    title: m.causes_switch_congestion_title(),
    text: m.causes_switch_congestion_text(),
    todo: m.causes_switch_congestion_todo(),
  }),
  RECOVERY_ON_TIMER_EXPIRE: () => ({
    title: m.causes_recovery_on_timer_expire_title(),
    text: m.causes_recovery_on_timer_expire_text(),
    todo: m.causes_recovery_on_timer_expire_todo(),
  }),
  ORIGINATOR_CANCEL: () => ({
    title: m.causes_originator_cancel_title(),
    text: m.causes_originator_cancel_text(),
    todo: m.causes_originator_cancel_todo(),
  }),
  ALLOTTED_TIMEOUT: () => ({
    title: m.causes_allotted_timeout_title(),
    text: m.causes_allotted_timeout_text(),
    todo: m.causes_allotted_timeout_todo(),
  }),
  USER_NOT_REGISTERED: () => ({
    title: m.causes_user_not_registered_title(),
    text: m.causes_user_not_registered_text(),
    todo: m.causes_user_not_registered_todo(),
  }),
} satisfies Record<string, () => CauseWords>;

export const hangupCauses = Object.keys(words);

export function causeWords(cause: string): CauseWords {
  if (Object.hasOwn(words, cause)) return words[cause as keyof typeof words]();
  return {
    title: m.causes_unknown_title({ cause }),
    text: m.causes_unknown_text(),
    todo: m.causes_unknown_todo(),
  };
}
