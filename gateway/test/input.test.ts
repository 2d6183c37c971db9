import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { startSetup } from './fixtures/harness';
import type { TestResponse, Ask, Setup } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup({
    limits: {
      PLACE_CALL: 15,
      DIALER: 15,
      HANGUP: 30,
      LIST_CALLS: 15,
      LOGIN: 10,
      OTHER: 1_000_000,
      CONSOLE: 600,
      OPERATOR: 600,
    },
  });
});
afterAll(() => setup.close());

const post = (
  body: string | Buffer,
  headers: Ask['headers'] = { 'content-type': 'application/json' },
): Promise<TestResponse> => setup.gateway.ask('/api/v1/tools', { body, headers });

const outcome = ({ status, error }: TestResponse): unknown[] => [status, error?.code];

describe('bodies', () => {
  it.each([
    ['{', 400, 'INVALID_JSON'],
    ['{"a":}', 400, 'INVALID_JSON'],
    ['nonsense', 400, 'INVALID_JSON'],
    ["{'name':'x'}", 400, 'INVALID_JSON'],
    // PHP writes an empty object as [].
    ['[]', 201, undefined],
    ['{"metadata":[]}', 201, undefined],
    ['[1]', 422, 'VALIDATION_ERROR'],
    ['null', 422, 'VALIDATION_ERROR'],
    ['1', 422, 'VALIDATION_ERROR'],
    ['"x"', 422, 'VALIDATION_ERROR'],
    ['{"name":{}}', 422, 'VALIDATION_ERROR'],
    ['{"name":"\\u0000"}', 422, 'VALIDATION_ERROR'],
    ['{"metadata":{"a":"\\ud800"}}', 422, 'VALIDATION_ERROR'],
    ['{"__proto__":{"name":1}}', 201, undefined],
    ['', 201, undefined],
    ['  ', 201, undefined],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 422, 'VALIDATION_ERROR'],
    [`{"unknown":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 201, undefined],
    [`{"metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`, 422, 'VALIDATION_ERROR'],
    [`${'{"parts":['.repeat(10_000)}${']}'.repeat(10_000)}`, 422, 'VALIDATION_ERROR'],
    ['['.repeat(1_000_000), 400, 'INVALID_JSON'],
  ])('%.40s is %d %s', async (body, status, code) => {
    expect(outcome(await post(body))).toEqual([status, code]);
  });

  it('names every invalid field', async () => {
    const { error } = await post('{"name":[],"price":"x","colour":"GREEN"}');
    expect(error).toMatchObject({
      name: 'ValidationError',
      message: expect.stringContaining('"price" must be a number') as string,
      details: {
        context: 'tool',
        codes: { name: ['type'], price: ['type'], colour: ['inclusion'] },
        messages: {
          name: ['must be a string'],
          price: ['must be a number'],
          colour: ['must be one of RED, DARK_BLUE'],
        },
      },
    });
  });

  it.each([
    ['text/plain', '{"name":"x"}', 201],
    ['application/x-www-form-urlencoded', '{"name":"x"}', 201],
    ['application/x-www-form-urlencoded', 'name=a+b&sharp=1&price=1.5&metadata[k]=v', 201],
    ['application/xml', '<a/>', 400],
    ['application/json; charset=iso-8859-1', Buffer.from('{"name":"\xe9"}', 'latin1'), 201],
    ['application/json', Buffer.from('{"name":"\xe9"}', 'latin1'), 400],
    ['application/json; charset=nonsense', '{"name":"x"}', 415],
    ['application/json; charset=utf-16le', Buffer.from('{"name":"x"}', 'utf16le'), 201],
    ['multipart/form-data; boundary=x', '--x--', 400],
    ['', '\ufeff{"name":"x"}', 201],
  ])('as %s', async (type, body, status) => {
    expect((await post(body, type === '' ? {} : { 'content-type': type })).status).toBe(status);
  });

  it('reads forms', async () => {
    const response = await post('name=a+b&sharp=1&price=1.5&metadata[k]=v', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(response.json).toMatchObject({ name: 'a b', sharp: 1, price: 1.5, metadata: { k: 'v' } });
  });

  it('reads compressed bodies, but refuses compression bombs', async () => {
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await post(gzipSync('{"name":"x"}'), gzip)).status).toBe(201);
    expect(outcome(await post(gzipSync(Buffer.alloc(50_000_000, 32)), gzip))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(outcome(await post('not gzip', gzip))).toEqual([400, 'INVALID_JSON']);
    expect(outcome(await post('{}', { 'content-encoding': 'zip' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(outcome(await post('{}', { 'content-encoding': 'constructor' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('refuses two mebibytes, announced or not', async () => {
    const large = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    const announced = await post(large);
    expect([...outcome(announced), announced.headers['ratelimit-limit']]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      '1000000',
    ]);
    const chunked = await setup.gateway.ask('/api/v1/tools', {
      method: 'POST',
      body: (async function* () {
        for (let index = 0; index < 64; index += 1) {
          yield Promise.resolve(Buffer.alloc(32 * 1024, 120));
        }
      })() as unknown as Buffer,
    });
    expect(outcome(chunked)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await post(`{"name":"${'x'.repeat(1024 * 1024 - 20)}"}`)).status).toBe(201);
  });

  it('refuses an endless body without waiting for its end', async () => {
    const { port } = new URL(setup.gateway.url);
    const received = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
        const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
        const more = (): void => {
          while (socket.writable && socket.write(chunk));
        };
        socket.on('drain', more);
        more();
      });
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(received).toContain('HTTP/1.1 413');
    expect(received).toContain('PAYLOAD_TOO_LARGE');
  });

  it('sends no 100 Continue for a body that it refuses', async () => {
    const { port } = new URL(setup.gateway.url);
    const conversation = (length: number, body: string): Promise<string> =>
      new Promise((resolve) => {
        let text = '';
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.write(
            `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
          );
        });
        socket.on('data', (data) => {
          text += data.toString();
          if (data.toString().includes('100 Continue')) {
            socket.write(body);
          }
        });
        socket.on('close', () => resolve(text));
      });
    expect(await conversation(2_000_000, '')).toMatch(/^HTTP\/1.1 413/);
    expect(await conversation(12, '{"name":"x"}')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201/);
  });

  it('keeps the connection after refusing a small body unread', async () => {
    const { token } = setup.fake.addToken();
    const refused = await setup.gateway.ask('/api/v1/tools/7/use', { json: {} });
    expect([refused.status, refused.headers['connection']]).toEqual([401, 'keep-alive']);
    expect((await setup.gateway.ask('/api/v1/tools/9', { token })).status).toBe(200);
  });

  it('never responds with 500, whatever is sent', async () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .dictionary(
          fc.constantFrom('name', 'price', 'metadata', 'parts', 'madeAt', 'serial', 'colour', 'counts'),
          fc.jsonValue(),
        )
        .map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'x'),
        async (body, type) => {
          const { status } = await post(body, { 'content-type': type });
          expect([201, 400, 422]).toContain(status);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('query strings', () => {
  it.each([
    ['page=0', 'INVALID_PAGE'],
    ['page=x', 'INVALID_PAGE'],
    ['page[]=1', 'INVALID_PAGE'],
    ['page=1&page=2', 'INVALID_PAGE'],
    ['filter=x', 'INVALID_FILTER'],
    ['filter=[]', 'INVALID_FILTER'],
    ['filter[]=x', 'INVALID_FILTER'],
  ])('%s is 400 %s', async (query, code) => {
    const { token } = setup.fake.addToken();
    expect(outcome(await setup.gateway.ask(`/api/v1/tools?${query}`, { token }))).toEqual([400, code]);
  });

  it('never lead to a 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webQueryParameters(), async (query) => {
        const { token } = setup.fake.addToken();
        expect([200, 400, 422]).toContain(
          (await setup.gateway.ask(`/api/v1/tools?filter=${query}&${query}`, { token })).status,
        );
      }),
      { numRuns: 100 },
    );
  });
});

describe('invalid HTTP', () => {
  const raw = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let received = '';
      const socket = connect(Number(new URL(setup.gateway.url).port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (data) => (received += data.toString()));
      socket.on('close', () => resolve(received));
    });

  it('gets the usual error body', async () => {
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400[\s\S]*"code":"BAD_REQUEST"/);
    expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431[\s\S]*"HEADERS_TOO_LARGE"/,
    );
    expect(
      await raw('POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ).toMatch(/^HTTP\/1.1 400/);
  });

  it('does not include a request target in the absolute form', async () => {
    expect(await raw('GET http://x/api/v1/tools?page=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 401/,
    );
  });
});
