import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError, notFound } from '../errors';
import { fromGrpcError, toRpcError, toGrpcStatus } from './status';

/** What grpc-js makes of a status on the client's side. */
function received(error: unknown): GrpcError {
  const { code, details, metadata } = toGrpcStatus(error);
  return Object.assign(new Error(`${code} ${status[code]}: ${details}`), { code, details, metadata });
}

const kinds = Object.values(ErrorKind).filter(
  (kind): kind is ErrorKind => typeof kind === 'number' && kind !== ErrorKind.UNSPECIFIED,
);

describe('errors over gRPC', () => {
  it.each(kinds.map((kind) => [ErrorKind[kind], kind] as const))('carries %s there and back', (_name, kind) => {
    const sent = new ServiceError({
      kind,
      code: 'SOME_CODE',
      message: 'Olá, não foi possível — 100%',
      context: 'user',
      violations: [{ field: 'email', code: 'uniqueness', message: 'already exists' }],
      retryAfterSeconds: 3,
    });
    const back = fromGrpcError(received(sent));
    expect(back).toBeInstanceOf(ServiceError);
    expect({ ...back, message: back?.message }).toEqual({ ...sent, message: sent.message });
  });

  it('leaves absent parts absent', () => {
    const back = fromGrpcError(received(notFound('user', 1)));
    expect(back?.context).toBeUndefined();
    expect(back?.retryAfterSeconds).toBeUndefined();
    expect(back?.violations).toEqual([]);
  });

  it.each([
    ['an error', new Error('password of sabia_identity is hunter2')],
    ['a database error', Object.assign(new Error('column hunter2 does not exist'), { code: '42703' })],
    ['a string', 'hunter2'],
    ['undefined', undefined],
    ['a failure of another service that has no meaning here', new TransportError(status.INTERNAL, 'hunter2')],
    ['a refusal by another service', new TransportError(status.PERMISSION_DENIED, 'hunter2')],
  ])('tells nothing about %s', (_name, error) => {
    const answer = toGrpcStatus(error);
    expect(answer.code).toBe(status.INTERNAL);
    expect(answer.details).toBe('internal error');
    expect(JSON.stringify(answer.metadata.toJSON())).not.toContain('hunter2');
    expect(fromGrpcError(received(error))).toBeUndefined();
  });

  it.each([
    ['a refused connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['a PostgreSQL that starts up', Object.assign(new Error('starting up'), { code: '57P03' })],
    ['a PostgreSQL that was ended', Object.assign(new Error('terminating'), { code: '57P01' })],
    ['a lost PostgreSQL connection', Object.assign(new Error('lost'), { code: '08006' })],
    ['a closed NATS connection', Object.assign(new Error('closed'), { name: 'NatsError', code: 'CONNECTION_CLOSED' })],
    ['JetStream without an answer', Object.assign(new Error('timeout'), { name: 'NatsError', code: 'TIMEOUT' })],
    ['a service that is away', new TransportError(status.UNAVAILABLE, 'no connection established')],
  ])('calls %s UNAVAILABLE, with a time to try again', (_name, error) => {
    expect(toGrpcStatus(error).code).toBe(status.UNAVAILABLE);
    expect(fromGrpcError(received(error))).toMatchObject({ kind: ErrorKind.UNAVAILABLE, retryAfterSeconds: 1 });
  });

  it.each([status.CANCELLED, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED])('passes code %d on', (code) => {
    expect(toGrpcStatus(new TransportError(code, 'x')).code).toBe(code);
    expect(toRpcError(received(new TransportError(code, 'x')))).toMatchObject({
      name: 'TransportError',
      grpcCode: code,
    });
  });

  it.each([
    [status.INTERNAL, 'Received RST_STREAM with code 0 (Call ended without gRPC status)'],
    [status.INTERNAL, 'Received RST_STREAM with code 2 (Internal server error)'],
    [status.CANCELLED, 'Call cancelled'],
  ])('takes a stream that broke (%d, %s) for a service that is away', (code, details) => {
    const error = Object.assign(new Error(details), { code, details, metadata: new Metadata() });
    expect(toRpcError(error)).toMatchObject({ grpcCode: status.UNAVAILABLE });
  });

  it('reads a statement over its time limit as a passed deadline', () => {
    expect(toGrpcStatus(Object.assign(new Error('canceling statement'), { code: '57014' })).code).toBe(
      status.DEADLINE_EXCEEDED,
    );
  });

  it('keeps a message within what a header can hold', () => {
    const answer = toGrpcStatus(
      new ServiceError({ kind: ErrorKind.CONFLICT, code: 'X', message: `\uD800${'a'.repeat(9000)}` }),
    );
    expect(() => encodeURI(answer.details)).not.toThrow();
    expect(answer.details.length).toBeLessThanOrEqual(500);
  });

  it('does not trust details that it cannot read', () => {
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', Buffer.from('garbage'));
    const error = Object.assign(new Error('x'), { code: status.UNKNOWN, details: 'x', metadata });
    expect(fromGrpcError(error)).toBeUndefined();
    expect(toRpcError(error)).toBeInstanceOf(TransportError);
  });
});
