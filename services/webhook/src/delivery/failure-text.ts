import { writeReason } from '../domain/reason';

const texts: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EPIPE: 'The connection was closed while sending.',
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ETIMEDOUT: 'The connection timed out.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  UND_ERR_SOCKET: 'The connection was closed before an answer came.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate chain is self-signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate could not be verified.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host.',
};

interface Failure {
  message: string;
  code?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/**
 * Describes a failure to the owner of the receiver in a sentence. Messages of Node and OpenSSL are not passed on: they contain
 * addresses ("connect EADDRNOTAVAIL 10.1.2.3:80"), which would tell a tenant what its host resolves to inside our network.
 */
export function describeError(error: unknown): string {
  const failures = chain(error);
  for (const { code, message } of failures) {
    if (code === 'BLOCKED_ADDRESS') {
      return `Not sent: ${message}.`;
    }
    if (typeof code === 'string' && texts[code] !== undefined) {
      return failed(texts[code], code);
    }
    if (typeof code === 'string' && code.startsWith('HPE_')) {
      return failed('The answer is not HTTP.', code);
    }
    if (typeof code === 'string' && (code === 'EPROTO' || code.startsWith('ERR_SSL_'))) {
      return failed('The TLS handshake failed.', code);
    }
  }
  const code = failures.map((failure) => failure.code).find((each) => typeof each === 'string');
  return code === undefined ? writeReason('REQUEST_BROKEN') : failed(writeReason('REQUEST_BROKEN'), code);
}

const failed = (text: string, error: string): string => writeReason('REQUEST_FAILED', { text, error });

/** The error and those it wraps: happy eyeballs has one error per address, others have a `cause`. */
function chain(error: unknown): Failure[] {
  if (typeof error !== 'object' || error === null || !('message' in error)) {
    return [];
  }
  const failure = error as Failure;
  const inner: unknown[] = Array.isArray(failure.errors) ? failure.errors : [failure.cause];
  return [failure, ...inner.flatMap(chain)];
}
