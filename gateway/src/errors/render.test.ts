import { status as grpcStatus } from '@grpc/grpc-js';
import {
  TransportError,
  badRequest,
  conflict,
  denied,
  insufficientCredit,
  invalid,
  notFound,
  rateLimited,
  unauthenticated,
  unavailable,
  unprocessable,
} from '@sabia/service-kit/errors';
import { otherMethod, payloadTooLarge, tooManyRequests, unknownRoute } from './http-error';
import { renderError } from './render';

const render = (error: unknown) => {
  const { status, body, headers, unexpected } = renderError(error, 'r-1');
  return { status, headers, unexpected, error: (JSON.parse(body) as { error: Record<string, unknown> }).error };
};

describe('an error as HTTP', () => {
  it.each([
    [badRequest('INVALID_JSON', 'm'), 400, 'BadRequestError', 'INVALID_JSON'],
    [unauthenticated('INVALID_TOKEN', 'm'), 401, 'Error', 'INVALID_TOKEN'],
    [insufficientCredit(), 402, 'PaymentRequiredError', 'INSUFFICIENT_CREDIT'],
    [denied(), 403, 'ForbiddenError', 'ACCESS_DENIED'],
    [notFound('user', 'x'), 404, 'NotFoundError', 'MODEL_NOT_FOUND'],
    [unknownRoute('GET', '/x'), 404, 'NotFoundError', 'NOT_FOUND'],
    [otherMethod('PUT', ['GET']), 405, 'MethodNotAllowedError', 'METHOD_NOT_ALLOWED'],
    [conflict('LAST_ADMIN', 'm'), 409, 'ConflictError', 'LAST_ADMIN'],
    [payloadTooLarge(1), 413, 'PayloadTooLargeError', 'PAYLOAD_TOO_LARGE'],
    [invalid('user', []), 422, 'ValidationError', 'VALIDATION_ERROR'],
    [unprocessable('USER_NOT_REGISTERED', 'm'), 422, 'UnprocessableEntityError', 'USER_NOT_REGISTERED'],
    [tooManyRequests(3), 429, 'TooManyRequests', 'RATE_LIMITED'],
    [rateLimited('m', 9), 429, 'TooManyRequests', 'RATE_LIMITED'],
    [unavailable(), 503, 'ServiceUnavailableError', 'SERVICE_UNAVAILABLE'],
    [new TransportError(grpcStatus.UNIMPLEMENTED, 'x'), 501, 'NotImplementedError', 'NOT_IMPLEMENTED'],
    [new TransportError(grpcStatus.UNAVAILABLE, 'x'), 503, 'ServiceUnavailableError', 'SERVICE_UNAVAILABLE'],
    [new TransportError(grpcStatus.DEADLINE_EXCEEDED, 'x'), 504, 'GatewayTimeoutError', 'GATEWAY_TIMEOUT'],
  ])('%s', (error, status, name, code) => {
    const rendered = render(error);
    expect(rendered.unexpected).toBe(false);
    expect(rendered.status).toBe(status);
    expect(rendered.error).toMatchObject({ statusCode: status, name, code, errorCode: code, requestId: 'r-1' });
  });

  it.each([
    new Error('SELECT secret'),
    new TransportError(grpcStatus.INTERNAL, 'SELECT secret'),
    'SELECT secret',
    undefined,
  ])('says nothing about %s', (error) => {
    const rendered = render(error);
    expect(rendered).toMatchObject({
      status: 500,
      unexpected: true,
      error: { code: 'INTERNAL_ERROR', requestId: 'r-1' },
    });
    expect(JSON.stringify(rendered)).not.toContain('secret');
  });

  it('lists violations by field', () => {
    const violations = [
      { field: 'email', code: 'presence', message: "can't be blank" },
      { field: 'email', code: 'format', message: 'is no address' },
      { field: '__proto__', code: 'type', message: 'must be a string' },
    ];
    expect(render(invalid('user', violations)).error['details']).toEqual({
      context: 'user',
      codes: JSON.parse('{"email":["presence","format"],"__proto__":["type"]}') as object,
      messages: JSON.parse('{"email":["can\'t be blank","is no address"],"__proto__":["must be a string"]}') as object,
    });
  });

  it('says when to come back', () => {
    expect(render(unavailable('m', 7)).headers).toEqual({ 'retry-after': '7' });
    expect(render(tooManyRequests(3)).headers).toEqual({ 'retry-after': '3' });
    expect(render(rateLimited('m', 9)).headers).toEqual({ 'retry-after': '9' });
  });
});
