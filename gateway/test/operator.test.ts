import { createHash } from 'node:crypto';
import { startSetup } from './fixtures/harness';
import type { Ask, Setup, TestGateway, TestResponse } from './fixtures/harness';

let setup: Setup;
let gateway: TestGateway;
beforeAll(async () => {
  setup = await startSetup({ operator: { host: '127.0.0.1', port: 0 } });
  gateway = setup.gateway;
});
afterAll(() => setup.close());
beforeEach(() => {
  setup.fake.desk.heard.length = 0;
  setup.fake.desk.away = undefined;
});

const ask = (path: string, options: Ask = {}): Promise<TestResponse> =>
  gateway.askOperator(path, { token: setup.fake.desk.token, ...options });
const heard = () => setup.fake.desk.heard.map(({ rpc }) => rpc);
const suspend = '/operator/v1/accounts/7/suspend';

describe('a request on the operator’s port', () => {
  it('is in the audit log before it is carried out, and its outcome afterwards', async () => {
    const json = { reason: 'unpaid' };
    const answer = await ask(suspend, { json, ip: '10.9.8.7', headers: { 'x-request-id': 'seven' } });
    expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ id: 7 })]);
    expect(heard()).toEqual(['begin', 'suspend', 'end']);
    const [begin, , end] = setup.fake.desk.heard;
    expect(begin!.begun).toEqual({
      ...{ act: 'SuspendAccount', method: 'POST', path: suspend, accountId: 7 },
      request: JSON.stringify(json),
    });
    expect(begin!.context).toMatchObject({ clientIp: '10.9.8.7', requestId: 'seven' });
    expect(begin!.context.caller?.operator).toEqual(setup.fake.desk.operator);
    expect(end!.ended).toEqual({ id: 1, status: 200, errorCode: '' });
  });

  it('is not carried out when it cannot be written there', async () => {
    setup.fake.desk.away = 'begin';
    expect((await ask(suspend, { json: { reason: 'unpaid' } })).status).toBe(503);
    expect(heard()).toEqual(['begin']);
  });

  it('is answered as it was carried out, also when its outcome cannot be written', async () => {
    setup.fake.desk.away = 'end';
    expect((await ask(suspend, { json: { reason: 'unpaid' } })).status).toBe(200);
    expect(new Set(heard())).toEqual(new Set(['begin', 'suspend', 'end']));
    const line = gateway.logLines.find(({ msg }) => String(msg).includes('the outcome of an act'));
    expect(line).toMatchObject({ act: 1, status: 200 });
  });

  it('leaves its refusal there', async () => {
    const refused = await ask('/operator/v1/operators/x', { method: 'DELETE' });
    expect(refused.error.code).toBe('OPERATOR_IS_CONFIGURED');
    expect(setup.fake.desk.heard.at(-1)!.ended).toEqual({ id: 1, status: 409, errorCode: 'OPERATOR_IS_CONFIGURED' });
    await ask(suspend, { body: '{', headers: { 'content-type': 'application/json' } });
    expect(setup.fake.desk.heard.at(-1)!.ended).toMatchObject({ status: 400, errorCode: 'INVALID_JSON' });
  });

  it('leaves neither long texts nor secrets of its answer there', async () => {
    const reason = 'x'.repeat(2_000);
    await ask(suspend, { json: { reason } });
    expect(JSON.parse(setup.fake.desk.heard[0]!.begun!.request)).toEqual({
      reason: { bytes: 2_000, sha256: createHash('sha256').update(reason).digest('hex') },
    });
    await ask(suspend, { json: { reason: 'a\u0000' } });
    expect(JSON.parse(setup.fake.desk.heard.at(-2)!.begun!.request)).toEqual({
      bytes: 20,
      sha256: expect.any(String) as string,
    });
    const made = await ask('/operator/v1/operators', { json: { name: 'Ana' } });
    expect([made.status, made.text.includes('sabia-operator-secret')]).toEqual([201, true]);
    expect(JSON.stringify(setup.fake.desk.heard)).not.toContain('sabia-operator-secret');
    expect(JSON.stringify(gateway.logLines)).not.toContain('sabia-operator-secret');
  });

  it('goes on to its end when the client does not wait', async () => {
    const abort = new AbortController();
    const asked = ask('/operator/v1/accounts/7/resume', { json: {}, signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toThrow();
    await ask(suspend, { json: { reason: 'unpaid' } });
    expect(heard().filter((rpc) => rpc === 'begin')).toHaveLength(heard().filter((rpc) => rpc === 'end').length);
  });
});

describe('the two ports', () => {
  it('refuse each other’s tokens and routes', async () => {
    const { token } = setup.fake.addToken();
    expect((await ask(suspend, { json: { reason: 'x' }, token })).status).toBe(401);
    expect((await gateway.askOperator(suspend, { json: { reason: 'x' } })).status).toBe(401);
    expect((await ask(`${suspend}?access_token=${setup.fake.desk.token}`, { json: {}, token: '' })).status).toBe(401);
    expect((await ask('/api/v1/tools/9')).status).toBe(404);
    expect((await gateway.ask(suspend, { json: { reason: 'x' }, token: setup.fake.desk.token })).status).toBe(404);
    expect((await gateway.ask('/api/v1/tools/9', { token: setup.fake.desk.token })).status).toBe(401);
    expect(heard()).toEqual([]);
  });

  it('have documents of their own', async () => {
    const { status, json } = await gateway.askOperator('/openapi.json');
    const paths = Object.keys((json as { paths: object }).paths);
    expect([status, paths.length > 5]).toEqual([200, true]);
    expect(paths.every((path) => path.startsWith('/operator/v1/'))).toBe(true);
  });

  it('are one unless the operator’s is configured', async () => {
    const plain = await setup.addGateway({ operator: undefined });
    expect(plain.operatorUrl).toBeUndefined();
  });
});
