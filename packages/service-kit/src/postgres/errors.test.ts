import { badRequest, unavailable } from '../errors';
import {
  isConnectionSpent,
  isDatabaseUnavailable,
  isInvalidInput,
  isOutsidePartitions,
  isStatementTimeout,
  isUndefinedTable,
  isUniqueViolation,
  sqlState,
  toDatabaseError,
} from './errors';

const failure = (fields: object, message = 'failure'): Error => Object.assign(new Error(message), fields);

describe('database errors', () => {
  it.each([
    failure({ code: 'ECONNREFUSED' }),
    failure({ code: 'ECONNRESET' }),
    failure({ code: '57P01' }),
    failure({ code: '57P03' }),
    failure({ code: '53300' }),
    failure({ code: '08006' }),
    failure({ code: '40P01' }),
    failure({}, 'Connection terminated unexpectedly'),
    failure({}, 'timeout exceeded when trying to connect'),
    failure({}, 'Query read timeout'),
    unavailable('away', 1, failure({ code: 'ECONNREFUSED' })),
  ])('take %s for an outage', (error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(toDatabaseError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it.each([
    failure({ code: '23505' }),
    failure({ code: '57014' }),
    failure({ code: '42P01' }),
    failure({}, 'something else'),
    badRequest('INVALID_JSON', 'no'),
    unavailable('another service is away'),
    undefined,
    'text',
  ])('leave %s as it is', (error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(toDatabaseError(error)).toBe(error);
  });

  it('keep a connection on which two transactions got into each other’s way', () => {
    expect(isConnectionSpent(failure({ code: '40P01' }))).toBe(false);
    expect(isConnectionSpent(toDatabaseError(failure({ code: '40001' })))).toBe(false);
    expect(isConnectionSpent(failure({ code: '57P01' }))).toBe(true);
    expect(isConnectionSpent(failure({ code: '23505' }))).toBe(false);
  });

  it('name what happened', () => {
    const duplicate = failure({ code: '23505', constraint: 'users_email_key' });
    expect(isUniqueViolation(duplicate)).toBe(true);
    expect(isUniqueViolation(duplicate, 'users_email_key')).toBe(true);
    expect(isUniqueViolation(duplicate, 'users_pkey')).toBe(false);
    expect(isOutsidePartitions(failure({ code: '23514', table: 'calls' }), 'calls')).toBe(true);
    expect(isOutsidePartitions(failure({ code: '23514', table: 'calls' }), 'users')).toBe(false);
    expect(isOutsidePartitions(failure({ code: '23514', table: 'calls', constraint: 'calls_check' }), 'calls')).toBe(
      false,
    );
    expect(isStatementTimeout(failure({ code: '57014' }))).toBe(true);
    expect(isInvalidInput(failure({ code: '2201B' }))).toBe(true);
    expect(isUndefinedTable(failure({ code: '42P01' }))).toBe(true);
    expect(sqlState(toDatabaseError(failure({ code: '57P03' })))).toBe('57P03');
    expect(sqlState(failure({ code: 'EPIPE' }))).toBeUndefined();
  });
});
