import { TraceFlags, trace } from '@opentelemetry/api';
import { createLogger } from './logging';
import { runInScope } from './request-scope';

function capture(level = 'info') {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level, destination: { write: (line: string) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('createLogger', () => {
  it('writes JSON lines with name, level and time', () => {
    const { log, last } = capture();
    log.info({ port: 1 }, 'listening');
    expect(last()).toMatchObject({ name: 'test', level: 'info', msg: 'listening', port: 1 });
    expect(new Date(last().time as string).getTime()).toBeGreaterThan(0);
  });

  it('adds request id and trace id inside a request', () => {
    const { log, last } = capture();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const span = trace.wrapSpanContext({ traceId, spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.NONE });
    runInScope({ requestId: 'r-1', signal: new AbortController().signal, span }, () => log.info('inside'));
    expect(last()).toMatchObject({ requestId: 'r-1', traceId });
    log.info('outside');
    expect(last()).not.toHaveProperty('requestId');
  });

  it.each([
    'password',
    'senha',
    'token',
    'accessToken',
    'access_token',
    'Authorization',
    'X-Access-Token',
    'cpfCnpj',
    'secret',
    'webhookSecret',
    'tokenHash',
  ])('masks %s at any depth', (name) => {
    const { log, lines, last } = capture();
    log.info({ [name]: 'hunter2', a: { b: [{ c: { [name]: 'hunter2' } }] }, ok: 'kept' }, 'hello');
    expect(lines.join()).not.toContain('hunter2');
    expect(last()).toMatchObject({ [name]: '[redacted]', ok: 'kept' });
  });

  it('masks secrets that are no strings', () => {
    const { log, lines } = capture();
    log.info({ secrets: { current: 'hunter2' }, tokens: ['hunter2'], password: 12345678 }, 'hello');
    log.info({ bytes: Buffer.from('hunter2') }, 'hello');
    expect(lines.join()).not.toMatch(/hunter2|12345678/);
  });

  it('masks what errors carry, in their fields, their message and their causes', () => {
    const { log, lines, last } = capture();
    const error = new Error('GET /x?access_token=hunter2 failed', {
      cause: new Error('cannot reach postgres://sabia:hunter2@db/sabia'),
    });
    Object.assign(error, { config: { headers: { authorization: 'hunter2' } } });
    log.error({ err: error }, 'failed');
    log.error(error);
    expect(lines.join()).not.toContain('hunter2');
    expect((last().err as { message: string }).message).toContain('access_token=[redacted]');
  });

  it('masks what child loggers and messages carry', () => {
    const { log, lines } = capture();
    log.child({ token: 'hunter2' }).info('with a binding');
    log.info('connecting to nats://user:hunter2@nats:4222');
    log.info('Authorization: Bearer hunter2');
    log.info(`body was ${JSON.stringify({ email: 'a@b.c', password: 'hunter2' })}`);
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain('hunter2');
    lines.forEach((line) => expect(() => JSON.parse(line) as unknown).not.toThrow());
  });

  it('leaves harmless fields alone and survives cycles', () => {
    const { log, last } = capture();
    const cyclic: Record<string, unknown> = { name: 'x' };
    cyclic.self = cyclic;
    log.info({ cyclic, tokenCount: 3, at: new Date(0), nothing: null, url: 'http://host:80/a@b' }, 'hello');
    expect(last()).toMatchObject({
      tokenCount: 3,
      at: '1970-01-01T00:00:00.000Z',
      nothing: null,
      url: 'http://host:80/a@b',
    });
  });
});
