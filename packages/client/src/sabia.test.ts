import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SabiaError } from './errors';
import { Sabia } from './sabia';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

interface Seen {
  method: string;
  path: string;
  key: string | undefined;
  token: string | undefined;
  resumedAfter: string | undefined;
}

/** A gateway that answers each request with the next of these; the last one answers all further ones. */
const seen: Seen[] = [];
let answers: Answer[] = [];
const server = createServer((request, response) => {
  const { method = '', url = '', headers } = request;
  const { authorization: token, 'idempotency-key': key, 'last-event-id': resumedAfter } = headers;
  seen.push({ method, path: url, token, key: key as string, resumedAfter: resumedAfter as string });
  request.resume().on('end', () => (answers.length > 1 ? answers.shift()! : answers[0]!)(response, request));
});
let sabia: Sabia;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
beforeEach(() => {
  seen.length = 0;
  sabia = new Sabia({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token: 'the-token' });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, code: string, headers?: Record<string, string>): Answer =>
  json({ error: { statusCode: status, code, message: 'No.', requestId: 'r-1' } }, status, headers);
const cutOff: Answer = (response) => void response.destroy();
const broken: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"id":', () => response.destroy());
};
const placed = json({ status: 'success', id: 'call-1', message: '' });
const call = { called: '5511', extension: '2000' };

describe('requests', () => {
  it('are repeated with the same key when the answer is lost, cut off, late or put off', async () => {
    answers = [cutOff, broken, refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }), placed];
    await expect(sabia.calls.create(call)).resolves.toMatchObject({ id: 'call-1' });
    expect(seen).toHaveLength(4);
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/calls', token: 'the-token' });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    answers = [refusal(409, 'IDEMPOTENCY_IN_PROGRESS'), placed];
    await sabia.calls.create(call, { idempotencyKey: 'mine' });
    expect(seen.slice(4).map(({ key }) => key)).toEqual(['mine', 'mine']);
  });

  it('are not repeated when they might happen twice, unless the API has not looked at them', async () => {
    answers = [cutOff];
    await expect(sabia.calls.hangUp('call-1')).rejects.toMatchObject({ status: 0, code: 'NO_CONNECTION' });
    answers = [refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' })];
    await expect(sabia.calls.hangUp('call-1')).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0 });
    expect(seen).toHaveLength(2);
    answers = [refusal(429, 'RATE_LIMITED', { 'retry-after': '0' }), placed];
    await sabia.calls.hangUp('call-1');
    expect(seen).toHaveLength(4);
  });

  it('give up after the third repetition, and at once where the wait is too long or the refusal final', async () => {
    answers = [refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' })];
    await expect(sabia.users.me()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', requestId: 'r-1' });
    expect(seen).toHaveLength(4);
    answers = [refusal(429, 'RATE_LIMITED', { 'retry-after': '61' })];
    await expect(sabia.users.me()).rejects.toMatchObject({ retryAfterSeconds: 61 });
    answers = [refusal(500, 'INTERNAL')];
    await expect(sabia.users.me()).rejects.toBeInstanceOf(SabiaError);
    expect(seen).toHaveLength(6);
  });

  it('tell what is wrong with each field, and cope with what no gateway wrote', async () => {
    const details = { codes: { called: ['presence', 'format'] }, messages: { called: ["can't be blank", 'is odd'] } };
    answers = [json({ error: { code: 'VALIDATION_ERROR', message: 'Not valid.', details } }, 422)];
    await expect(sabia.calls.create(call)).rejects.toMatchObject({
      status: 422,
      fields: {
        called: [
          { code: 'presence', message: "can't be blank" },
          { code: 'format', message: 'is odd' },
        ],
      },
    });
    answers = [(response) => void response.writeHead(418).end('<h1>teapot</h1>')];
    await expect(sabia.users.me()).rejects.toMatchObject({ status: 418, code: 'HTTP_418', fields: {} });
  });

  it('end with their signal, also while they wait, and after their time', async () => {
    const controller = new AbortController();
    answers = [refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '50' })];
    const waiting = sabia.users.me({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 500);
    await expect(waiting).rejects.toThrow('enough');
    const { port } = server.address() as AddressInfo;
    const hasty = new Sabia({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 500, retries: 1 });
    answers = [() => undefined];
    await expect(hasty.users.me()).rejects.toMatchObject({ status: 0, code: 'TIMEOUT' });
    expect(seen).toHaveLength(3);
  });
});

describe('lists', () => {
  const page = (ids: number[], nextPage?: number): Answer =>
    json({ data: ids.map((id) => ({ id })), meta: { nextPage, currentPage: 1, totalItemCount: 5 } });

  it('are walked through page by page, without what a shift shows twice, and no further than needed', async () => {
    answers = [page([9, 8], 2), page([8, 7], 3), page([6])];
    const ids = [];
    for await (const { id } of sabia.charges.list({ filter: { where: { status: 'PENDING' } } })) ids.push(id);
    expect(ids).toEqual([9, 8, 7, 6]);
    const queries = seen.map(({ path }) => new URL(path, 'http://x').searchParams);
    expect(queries.map((query) => query.get('page'))).toEqual(['1', '2', '3']);
    expect(JSON.parse(queries[0]!.get('filter')!)).toEqual({ limit: 200, where: { status: 'PENDING' } });
    answers = [page([9, 8], 2)];
    expect(await sabia.charges.list().take(2)).toEqual([{ id: 9 }, { id: 8 }]);
    expect(seen).toHaveLength(4);
  });
});

describe('events', () => {
  const stream =
    (text: string): Answer =>
    (response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  const event = (n: number) => `id: c-${n}\nevent: call.ended\ndata: {"id":"e-${n}","type":"call.ended","at":""}\n\n`;

  it('go on after the last one when the stream ends or breaks, and end with the signal', async () => {
    const hanging: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(4));
    };
    answers = [
      stream(`retry: 1\n\nid: c-0\n\n${event(1)}${event(2)}id: c-9`),
      refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }),
      stream(`:\nid: c-3\n\n`),
      cutOff,
      hanging,
    ];
    const controller = new AbortController();
    const cursors: string[] = [];
    const interruptions: string[] = [];
    const heard = [];
    const options = {
      types: ['call.*', 'balance.changed'],
      signal: controller.signal,
      onCursor: (cursor: string) => cursors.push(cursor),
      onInterrupted: ({ code }: SabiaError) => interruptions.push(code),
    };
    for await (const { cursor, ...event } of sabia.events(options)) {
      const id = 'id' in event && event.id;
      heard.push([id, cursor]);
      if (id === 'e-4') controller.abort();
    }
    expect(heard).toEqual([
      ['e-1', 'c-1'],
      ['e-2', 'c-2'],
      ['e-4', 'c-4'],
    ]);
    expect(cursors).toEqual(['c-0', 'c-3']);
    expect(seen.map(({ resumedAfter }) => resumedAfter)).toEqual([undefined, 'c-2', 'c-2', 'c-3', 'c-3']);
    expect(interruptions).toEqual(['NO_CONNECTION', 'SERVICE_UNAVAILABLE', 'NO_CONNECTION', 'NO_CONNECTION']);
    expect(seen[0]!.path).toBe('/api/v1/events?types=call.*%2Cbalance.changed');
  });

  it('end with an error that waiting does not cure, and close the connection when nobody listens any more', async () => {
    answers = [refusal(401, 'INVALID_TOKEN')];
    await expect(sabia.events().next()).rejects.toMatchObject({ status: 401, code: 'INVALID_TOKEN' });
    const closed = new Promise<void>((resolve) => {
      answers = [
        (response) => {
          response.on('close', resolve);
          response.writeHead(200).write(event(1));
        },
      ];
    });
    for await (const event of sabia.events({ after: 'c-0' })) {
      expect(event).toMatchObject({ id: 'e-1' });
      break;
    }
    await closed;
    expect(seen.at(-1)!.resumedAfter).toBe('c-0');
  });
});
