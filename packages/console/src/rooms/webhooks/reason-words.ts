import type { Reason } from '@sabia/client';
import { m } from '../../paraglide/messages';

const errorWords: Record<string, () => string> = {
  ECONNREFUSED: m.reasons_error_refused,
  ECONNRESET: m.reasons_error_reset,
  EPIPE: m.reasons_error_reset,
  UND_ERR_SOCKET: m.reasons_error_closed,
  ENOTFOUND: m.reasons_error_no_host,
  EAI_AGAIN: m.reasons_error_dns,
  ETIMEDOUT: m.reasons_error_timeout,
  UND_ERR_CONNECT_TIMEOUT: m.reasons_error_timeout,
  EHOSTUNREACH: m.reasons_error_unreachable,
  ENETUNREACH: m.reasons_error_unreachable,
  UND_ERR_HEADERS_OVERFLOW: m.reasons_error_headers,
  CERT_HAS_EXPIRED: m.reasons_error_certificate_expired,
  DEPTH_ZERO_SELF_SIGNED_CERT: m.reasons_error_certificate_self_signed,
  SELF_SIGNED_CERT_IN_CHAIN: m.reasons_error_certificate_self_signed,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: m.reasons_error_certificate_unverified,
  ERR_TLS_CERT_ALTNAME_INVALID: m.reasons_error_certificate_host,
  EPROTO: m.reasons_error_tls,
};

/** Node's parser and OpenSSL have dozens of codes, which mean the same to a reader. */
function wordsOfError(error: string): string {
  if (error.startsWith('HPE_')) return m.reasons_error_not_http();
  if (error.startsWith('ERR_SSL_')) return m.reasons_error_tls();
  return errorWords[error]?.() ?? m.reasons_request_failed({ error });
}

/** What a sentence names. A name that the API has not sent stays empty. */
type Detail = (name: string) => string;

const words: Record<string, (detail: Detail) => string> = {
  NO_WEBHOOK: m.reasons_no_webhook,
  WEBHOOK_REMOVED: m.reasons_webhook_removed,
  WEBHOOK_DISABLED: (detail) => m.reasons_webhook_disabled({ cause: causeIn(detail) }),
  DISABLED_MEANWHILE: (detail) => m.reasons_disabled_meanwhile({ cause: causeIn(detail) }),
  TYPE_NOT_CHOSEN: (detail) => m.reasons_type_not_chosen({ type: detail('type'), types: detail('types') }),
  METADATA_MISSING: (detail) => m.reasons_metadata_missing({ key: detail('key'), wanted: detail('wanted') }),
  METADATA_DIFFERS: (detail) =>
    m.reasons_metadata_differs({ key: detail('key'), found: detail('found'), wanted: detail('wanted') }),
  GIVEN_UP: (detail) => m.reasons_given_up({ attempts: detail('attempts'), cause: causeIn(detail) }),
  RECEIVER_GONE: m.reasons_receiver_gone,
  FAILED_FOR_DAYS: m.reasons_failed_for_days,
  OWNER_DELETED: m.reasons_owner_deleted,
  REDIRECTED: (detail) => m.reasons_redirected({ status: detail('status') }),
  RECEIVER_REFUSED: (detail) => m.reasons_receiver_refused({ status: detail('status') }),
  NO_ANSWER: (detail) => m.reasons_no_answer({ seconds: detail('seconds') }),
  HOST_NOT_PUBLIC: (detail) => m.reasons_host_not_public({ host: detail('host') }),
  ADDRESS_NOT_PUBLIC: (detail) => m.reasons_address_not_public({ host: detail('host') }),
  REQUEST_FAILED: (detail) => wordsOfError(detail('error')),
  REQUEST_BROKEN: m.reasons_request_broken,
};

const causeIn = (detail: Detail): string => words[detail('cause')]?.(detail) ?? '';

/** Why something was not sent or not taken, in the reader's language; the API's own sentence for a code that is new. */
export function reasonWords(why: Reason | null | undefined, sentence: string | null): string {
  const detail: Detail = (name) => {
    const value = why?.detail[name];
    return typeof value === 'string' ? value : '';
  };
  return words[why?.code ?? '']?.(detail) ?? sentence ?? '';
}
