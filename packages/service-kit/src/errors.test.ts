import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { denied, insufficientCredit, invalid, notFound, unauthenticated, unavailable } from './errors';

describe('errors', () => {
  it('names the model and the id that is unknown', () => {
    expect(notFound('user', 42)).toMatchObject({
      kind: ErrorKind.NOT_FOUND,
      code: 'MODEL_NOT_FOUND',
      message: 'Unknown "user" id "42".',
    });
  });

  it('says in the message of a validation error what is wrong with each field', () => {
    const error = invalid('user', [
      { field: 'email', code: 'presence', message: "can't be blank" },
      { field: 'password', code: 'length', message: 'is too short' },
    ]);
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.message).toBe(
      'The "user" instance is not valid. Details: "email" can\'t be blank; "password" is too short.',
    );
    expect(error.violations).toHaveLength(2);
  });

  it('has the codes of the specification as defaults', () => {
    expect(denied().code).toBe('ACCESS_DENIED');
    expect(insufficientCredit().code).toBe('INSUFFICIENT_CREDIT');
    expect(unauthenticated()).toMatchObject({ code: 'AUTHORIZATION_REQUIRED', message: 'Authorization Required' });
    expect(unavailable()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it('keeps the cause for the log', () => {
    const cause = new Error('connect ECONNREFUSED');
    expect(unavailable(undefined, 2, cause).cause).toBe(cause);
  });
});
