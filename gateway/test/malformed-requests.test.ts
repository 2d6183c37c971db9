import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { freshIp, startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup();
});
afterAll(() => setup.close());

interface Reply {
  status: number;
  headers: Map<string, string>;
  error: { statusCode: number; name: string; code: string; errorCode: string; message: string; requestId: string };
}

/** Sends the text and reads until the gateway closes the connection. */
async function say(text: string): Promise<Reply> {
  const reply = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(setup.gateway.url).port), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
  });
  const [head = '', body = ''] = reply.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(
      lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    ),
    error: (JSON.parse(body) as { error: Reply['error'] }).error,
  };
}

const lines = (...parts: string[]): string => `${[...parts, `X-Forwarded-For: ${freshIp()}`].join('\r\n')}\r\n\r\n`;

describe('a request that cannot be served gets the usual error body', () => {
  it.each([
    ['CONNECT', lines('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'), 405, 'METHOD_NOT_ALLOWED'],
    ['a missing Host', lines('GET /api/v1/tools HTTP/1.1', 'Connection: close'), 400, 'HOST_REQUIRED'],
    ['a missing Host, of a page', lines('GET /docs HTTP/1.1', 'Connection: close'), 400, 'HOST_REQUIRED'],
    [
      'an unknown Expect',
      lines('GET /api/v1/tools HTTP/1.1', 'Host: x', 'Connection: close', 'Expect: the-spanish-inquisition'),
      417,
      'EXPECTATION_FAILED',
    ],
    [
      'an unknown Expect, of a page',
      lines('GET /docs HTTP/1.1', 'Host: x', 'Connection: close', 'Expect: tea'),
      417,
      'EXPECTATION_FAILED',
    ],
    ['no HTTP at all', 'HELO gateway\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown method', lines('BREW /api/v1/tools HTTP/1.1', 'Host: x'), 400, 'BAD_REQUEST'],
    [
      'two lengths',
      lines('POST /api/v1/tools HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
      400,
      'BAD_REQUEST',
    ],
    ['endless headers', lines('GET / HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(20_000)}`), 431, 'HEADERS_TOO_LARGE'],
  ])('%s', async (_what, text, status, code) => {
    const reply = await say(text);
    expect([reply.status, reply.error]).toEqual([
      status,
      expect.objectContaining({ statusCode: status, code, errorCode: code }) as object,
    ]);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('x-request-id')).toBe(reply.error.requestId);
  });

  it('counts a request with a path of the API', async () => {
    const reply = await say(lines('GET /api/v1/tools HTTP/1.1', 'Connection: close'));
    expect([reply.headers.get('ratelimit-limit'), reply.headers.get('ratelimit-remaining')]).toEqual(['60', '59']);
  });

  it('names the allowed methods in response to CONNECT', async () => {
    const reply = await say(lines('CONNECT /api/v1/tools HTTP/1.1', 'Host: x'));
    expect(reply.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  it('still serves HTTP/1.0, which has no Host', async () => {
    const { status, error } = await say(lines('GET /api/v1/nothing HTTP/1.0'));
    expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a connection that is refused', () => {
  const openings = {
    CONNECT: lines('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'),
    'an upgrade without SIP': lines(
      ...['GET /sip HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'],
      ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
    ),
    'what is no HTTP': 'HELO gateway\r\n\r\n',
  };
  let urls: string[];
  beforeAll(async () => {
    const withPhones = await setup.addGateway({ sipWsUrls: ['ws://127.0.0.1:9/ws'], sipWsPort: 0 });
    urls = [withPhones.url, withPhones.sipUrl!];
  });

  /** Opens a connection that does not close its side when the gateway does. */
  async function open(url: string, text: string): Promise<Socket> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    await new Promise((resolve) => socket.write(text, resolve));
    return socket;
  }

  it.each(Object.entries(openings))('may be reset, before or after the response: %s', async (_what, text) => {
    for (const url of urls) {
      (await open(url, text)).resetAndDestroy();
      const patient = await open(url, text);
      await new Promise((resolve) => patient.once('data', resolve));
      patient.resetAndDestroy();
      const reply = await fetch(url, { headers: { 'x-forwarded-for': freshIp() } });
      expect(reply.status).toBe(url === urls[0] ? 200 : 426);
    }
  });

  it.each(Object.entries(openings))('is not left half open: %s', async (_what, text) => {
    for (const url of urls) {
      const socket = await open(url, text);
      await new Promise((resolve) => socket.resume().once('end', resolve));
      // Only a gateway that has closed both sides responds to this with a reset.
      await eventually(() => {
        socket.write('x');
        return socket.destroyed;
      });
    }
  });
});
