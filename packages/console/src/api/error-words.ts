import type { FieldProblem, SabiaError } from '@sabia/client';
import { m } from '../paraglide/messages';

/** What a person reads instead of the API's own message, by the code of the error. */
const wordsByCode: Readonly<Record<string, () => string>> = {
  LOGIN_FAILED: m.errors_login_failed,
  LOGIN_FAILED_EMAIL_NOT_VERIFIED: m.errors_email_not_verified,
  AUTHORIZATION_REQUIRED: m.errors_signed_out,
  INVALID_TOKEN: m.errors_signed_out,
  ACCESS_DENIED: m.errors_denied,
  USER_NOT_REGISTERED: m.errors_user_not_registered,
  INSUFFICIENT_CREDIT: m.errors_insufficient_credit,
  NO_RATE: m.errors_no_rate,
  INVALID_NUMBER_FORMAT: m.errors_invalid_number,
  TOO_MANY_CALLS: m.errors_too_many_calls,
  TOO_MANY_EXTENSIONS: m.errors_too_many_extensions,
  TOO_MANY_INTEGRATIONS: m.errors_too_many_integrations,
  TOO_MANY_PROOFS: m.errors_too_many_proofs,
  TOO_MANY_USERS: m.errors_too_many_users,
  NUMBER_TAKEN: m.errors_number_taken,
  NUMBER_ALREADY_YOURS: m.errors_number_yours,
  LAST_ADMIN: m.errors_last_admin,
  OPEN_CHARGE_EXISTS: m.errors_open_charge,
  CHARGE_NOT_CANCELLABLE: m.errors_charge_not_cancellable,
  TAX_ID_LOCKED: m.errors_tax_id_locked,
  FINANCIAL_ACCOUNT_REQUIRED: m.errors_financial_account,
  PAYMENT_REFUSED: m.errors_payment_refused,
  WEBHOOK_DISABLED: m.errors_webhook_disabled,
  NO_WEBHOOK: m.errors_no_webhook,
  NOT_MATCHED: m.errors_not_matched,
  RECORDING_EXPIRED: m.errors_recording_expired,
  TOO_MANY_SECRETS: m.errors_too_many_secrets,
  TOKEN_EXPIRED: m.errors_token_expired,
  TOKEN_USED: m.errors_token_used,
  VALIDATION_ERROR: m.errors_invalid,
  INVALID_FILTER: m.errors_invalid_filter,
  CALL_NOT_ANSWERED: m.errors_call_not_answered,
  EXPORT_TOO_LARGE: m.errors_export_too_large,
  FOREIGN_ORIGIN: m.errors_foreign_origin,
  CONSOLE_HEADER_REQUIRED: m.errors_foreign_origin,
};

const wordsByFieldCode: Readonly<Record<string, () => string>> = {
  presence: m.errors_field_presence,
  format: m.errors_field_format,
  length: m.errors_field_length,
  uniqueness: m.errors_field_uniqueness,
  inclusion: m.errors_field_inclusion,
  exclusion: m.errors_field_inclusion,
  range: m.errors_field_range,
  type: m.errors_field_type,
  mismatch: m.errors_field_mismatch,
};

export function refusalInWords({ status, code, message, requestId = '', retryAfterSeconds = 60 }: SabiaError): string {
  const words = wordsByCode[code];
  if (words !== undefined) return words();
  if (status === 403) return m.errors_denied();
  if (status === 404) return m.errors_not_found();
  if (status === 429) return m.errors_too_many({ seconds: Math.ceil(retryAfterSeconds) });
  if (status >= 502 && status <= 504) return m.errors_unavailable();
  return status >= 500 ? m.errors_unexpected({ requestId }) : message;
}

export function fieldProblemInWords({ code, message }: FieldProblem): string {
  return wordsByFieldCode[code]?.() ?? message;
}
