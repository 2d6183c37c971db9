import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, unavailable } from '../errors';

/** SQLSTATEs that trying again later may cure; see appendix A of the PostgreSQL manual. */
const passingStates = new Set([
  '25006', // read_only_sql_transaction: connected to a server that is no longer the primary
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
]);

/** Classes: connection exception, insufficient resources (too many connections, disk full, out of memory), system error. */
const passingClasses = new Set(['08', '53', '58']);

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the Unix socket is gone
]);

/** pg names these by message only. */
const driverMessages = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Query read timeout$/,
  /^Client has encountered a connection error/,
  /^Client was closed and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
];

export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !socketCodes.has(code)) {
    return code;
  }
  return error instanceof ServiceError && error.cause !== undefined ? sqlState(error.cause) : undefined;
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, '23505', constraint);
}

/** A row fits in no partition of the table; its key is in the error's detail. */
export function isOutsidePartitions(error: unknown, table: string): boolean {
  if (!violates(error, '23514')) {
    return false;
  }
  const { table: name, constraint } = error as { table?: string; constraint?: string };
  return name === table && constraint === undefined;
}

/** The statement ran into its time limit (or was cancelled by another party than its own request). */
export function isStatementTimeout(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** Another transaction changed what this one was about to; the same work may succeed now. */
export function isSerializationFailure(error: unknown): boolean {
  return sqlState(error) === '40001';
}

export function isUndefinedTable(error: unknown): boolean {
  return sqlState(error) === '42P01';
}

/** A regular expression, a number or a text that PostgreSQL itself refuses: the caller's fault, when it came from the caller. */
export function isInvalidInput(error: unknown): boolean {
  const state = sqlState(error);
  return (
    state === '2201B' ||
    state === '22P02' ||
    state === '22003' ||
    state === '22007' ||
    state === '22008' ||
    state === '22021'
  );
}

/** The database is away, overloaded or asked us to try again; nothing is wrong with the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError) {
    return error.kind === ErrorKind.UNAVAILABLE && error.cause !== undefined && isDatabaseUnavailable(error.cause);
  }
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const code = codeOf(error);
  if (code !== undefined) {
    return (
      socketCodes.has(code) || passingStates.has(code) || (code.length === 5 && passingClasses.has(code.slice(0, 2)))
    );
  }
  const { message } = error as Partial<Error>;
  return message !== undefined && driverMessages.some((pattern) => pattern.test(message));
}

/** Disk full, out of memory, too many connections: the server has said so, and the statement has changed nothing. */
export function isResourceShortage(error: unknown): boolean {
  return sqlState(error)?.startsWith('53') ?? false;
}

/** Errors after which the connection can be used again. */
const statesOfHealthyConnections = new Set(['40001', '40P01', '55P03']);

/** The connection the error came from should not be used again. */
export function isConnectionSpent(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !statesOfHealthyConnections.has(sqlState(error) ?? '');
}

/** The error that callers of this folder see: a ServiceError that becomes a 503 with Retry-After, or the original error. */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof ServiceError || !isDatabaseUnavailable(error)) {
    return error;
  }
  return unavailable('The database is temporarily unavailable.', 1, error);
}

function violates(error: unknown, state: string, constraint?: string): boolean {
  if (codeOf(error) !== state) {
    return false;
  }
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
