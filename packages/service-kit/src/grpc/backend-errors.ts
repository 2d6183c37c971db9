/** Known by their codes alone, so that the gRPC layer needs neither the Postgres nor the NATS client. */
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL: shutting down, crashed, starting up, too many connections
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

const natsAwayCodes = new Set(['CONNECTION_CLOSED', 'CONNECTION_DRAINING', 'CONNECTION_REFUSED', 'CONNECTION_TIMEOUT']);
const natsNoAnswerCodes = new Set(['DISCONNECT', 'TIMEOUT', '503']);

export function isBackendAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) {
    return false;
  }
  if (awayCodes.has(code) || /^08[0-9A-Z]{3}$/.test(code)) {
    return true;
  }
  return (error as Error).name === 'NatsError' && (natsAwayCodes.has(code) || natsNoAnswerCodes.has(code));
}

/** PostgreSQL query_canceled: the request's own cancellation or the statement time limit. */
export function isStatementCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return undefined;
  }
  return error.code;
}
