import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { Client } from 'pg';
import { openCallRoom, type CallRoom, type PhoneAccount } from '../src/call-room';
import { testFleet } from '../src/config';
import { eventually } from '../src/eventually';
import { operatorDesk } from '../src/operator-desk';
import { createAdmin } from '../src/people';
import { refusalOf, unauthorized } from '../src/refusals';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';

const stack = testStack();
const desk = operatorDesk(stack);

interface Act {
  id: number;
  at: string;
  operatorName: string;
  act: string;
  method: string;
  path: string;
  accountId: number | null;
  request: object;
  clientIp: string;
  requestId: string;
  status: number | null;
  errorCode: string | null;
  endedAt: string | null;
}

interface Account {
  id: number;
  domain: string;
  suspendedAt: string | null;
  suspensionReason: string | null;
  users: number;
}

const actsOn = async (accountId: number): Promise<Act[]> =>
  (await desk.get<{ data: Act[] }>('/audit', { accountId: String(accountId) })).body.data;

afterAll(() => desk.client.close());

describe('the operator’s port', () => {
  it('keeps its token in a file of its owner alone', () => {
    expect(statSync(stack.operator.tokenFile).mode & 0o777).toBe(0o600);
  });

  it('refuses every token of an account, and knows none of the public routes', async () => {
    const admin = await createAdmin(stack);
    for (const token of [admin.token, undefined, 'sabia-operator-made-up']) {
      const asked = await desk.client.withToken(token).get('/operator/v1/accounts', { outsideApi: true });
      expect(refusalOf(asked)).toEqual(unauthorized);
    }
    expect((await desk.client.get('/users/me')).status).toBe(404);
    const inQuery = { outsideApi: true, query: { access_token: desk.client.token! } };
    expect((await desk.client.withToken(undefined).get('/operator/v1/accounts', inQuery)).status).toBe(401);
  });

  it('is not on the public one, which knows neither its routes nor its token', async () => {
    const outside = desk.client.at(stack.gatewayUrl);
    const { paths } = (
      await desk.client.get<{ paths: Record<string, Record<string, unknown>> }>('/openapi.json', { outsideApi: true })
    ).body;
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{[^}]*\}/g, '1')] as const),
    );
    expect(routes.length).toBeGreaterThan(5);
    for (const [method, path] of routes) {
      const answer = await outside.fromAnotherAddress().request(method, path, { outsideApi: true });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    expect((await outside.get('/users/me')).status).toBe(401);
    const { body } = await outside.get<{ paths: object }>('/openapi.json', { outsideApi: true });
    expect(Object.keys(body.paths).filter((path) => path.includes('operator'))).toEqual([]);
    await outside.close();
  });

  it('lists accounts, and finds them by what is known of them', async () => {
    const admin = await createAdmin(stack, { organization_name: 'Padaria 100% do_Zé' });
    const find = async (search: string) =>
      (await desk.get<{ data: Account[]; meta: { totalItemCount: number } }>('/accounts', { search })).body;
    const id = await desk.accountOf(admin.domain);
    for (const search of [admin.domain, admin.email.toUpperCase(), admin.domain.slice(3, 20)]) {
      expect((await find(search)).data.map((account) => account.id)).toEqual([id]);
    }
    expect((await find('100% do_')).data.some((account) => account.id === id)).toBe(true);
    expect((await find('%_%_%_nobody')).meta.totalItemCount).toBe(0);
    const one = await desk.get<Account>(`/accounts/${id}`);
    expect(one.body).toMatchObject({ id, domain: admin.domain, suspendedAt: null, users: 1 });
    expect((await desk.get('/accounts/999999999')).status).toBe(404);
    expect((await desk.get('/accounts', { filter: '{"where":{"senha":"x"}}' })).status).toBe(400);
  });
});

describe('operators', () => {
  it('are added with a token that is shown once, and removed at once', async () => {
    const name = `Maria ${randomUUID()}`;
    const added = await desk.post<{ uuid: string; token: string }>('/operators', { name });
    expect(added.status).toBe(201);
    const maria = desk.client.withToken(added.body.token);
    expect((await maria.get('/operator/v1/accounts', { outsideApi: true })).status).toBe(200);
    expect((await desk.post('/operators', { name })).status).toBe(422);
    expect((await desk.post('/operators', {})).status).toBe(422);
    const listed = await desk.get<{ uuid: string; name: string }[]>('/operators');
    expect(listed.text).not.toContain(added.body.token);
    expect(listed.body.map((each) => each.name)).toContain(name);

    expect((await desk.delete(`/operators/${added.body.uuid}`)).status).toBe(204);
    expect((await maria.get('/operator/v1/accounts', { outsideApi: true })).status).toBe(401);
    expect((await desk.delete('/operators/nobody')).status).toBe(404);
    const acts = await desk.get<{ data: Act[] }>('/audit', { operatorUuid: added.body.uuid });
    expect(acts.body.data.map(({ act, operatorName, status }) => [act, operatorName, status])).toEqual([
      ['ListAccounts', name, 200],
    ]);
    expect(JSON.stringify((await desk.get('/audit')).body)).not.toContain(added.body.token);
  });

  it('whose token is configured are not removed by request', async () => {
    const { body } = await desk.get<{ uuid: string; configured: boolean }[]>('/operators');
    const configured = body.find((each) => each.configured)!;
    const refused = refusalOf(await desk.delete(`/operators/${configured.uuid}`));
    expect(refused).toMatchObject({ status: 409, code: 'OPERATOR_IS_CONFIGURED' });
  });
});

describe('a suspended account', () => {
  const reason = 'the invoice of October is unpaid, please write to billing@example.com';
  const suspended = {
    status: 403,
    name: 'ForbiddenError',
    code: 'ACCOUNT_SUSPENDED',
    message: `This account is suspended: ${reason}`,
  };
  const server = stack.sip?.udp ?? '';
  const phones: Softphone[] = [];
  let room: CallRoom;
  let account: PhoneAccount;
  let id: number;

  async function startPhone(): Promise<Softphone> {
    const phone = await Softphone.start({ ...account, server });
    phones.push(phone);
    return phone;
  }

  const isRegistered = async (): Promise<boolean> => {
    const client = new Client({ connectionString: stack.postgresUrl });
    await client.connect();
    try {
      const endpoint = `${account.ramal}@${account.domain}`;
      return (await client.query('SELECT FROM sip.contacts WHERE endpoint = $1', [endpoint])).rowCount !== 0;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    room = await openCallRoom(stack);
    account = await room.addExtension();
    id = await desk.accountOf(account.domain);
  });

  afterAll(async () => {
    await Promise.all(phones.map((phone) => phone.kill()));
    await room?.close();
  });

  it('cannot log in, call or register, and is told why, until it is resumed; a call under way goes on', async () => {
    const phone = await startPhone();
    await phone.waitRegistered();
    expect(await isRegistered()).toBe(true);
    const call = await room.place(account.ramal, stack.testNumbers.answer);
    await room.when(call, ({ status }) => status === 'answered');

    expect(refusalOf(await desk.post(`/accounts/${id}/suspend`, {})).details?.codes).toEqual({ reason: ['presence'] });
    const done = await desk.post<Account>(`/accounts/${id}/suspend`, { reason });
    expect(done.body).toMatchObject({ id, suspensionReason: reason, suspendedAt: expect.any(String) as string });

    expect(refusalOf(await room.api().get('/users/me'))).toEqual(suspended);
    const place = { extension: account.ramal, called: stack.testNumbers.answer };
    expect(refusalOf(await room.api().post('/calls', place))).toEqual(suspended);
    const login = (password: string) => room.api().post('/users/login', { email: room.email, password });
    expect(refusalOf(await login(room.password))).toEqual(suspended);
    expect(refusalOf(await login('not the password'))).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    await eventually(async () => !(await isRegistered()));
    const late = await startPhone();
    await expect(late.waitRegistered()).rejects.toThrow(/not registered: 403 Account Suspended/);

    phone.forget();
    await phone.hangup();
    await phone.waitFor('CALL_CLOSED');
    const types = (await room.webhooks(call, ['channel-hangup'])).map(({ eventType }) => eventType);
    expect(types).toContain('channel-hangup');

    const again = await desk.post<Account>(`/accounts/${id}/resume`);
    expect(again.body).toMatchObject({ id, suspendedAt: null, suspensionReason: null });
    expect((await room.api().get('/users/me')).status).toBe(200);
    expect((await login(room.password)).status).toBe(200);
    const { hangup_cause: cause } = await room.when(call, ({ status }) => status === 'ended');
    expect(cause).toBe('NORMAL_CLEARING');
    await eventually(async () => {
      const next = await startPhone();
      await next.waitRegistered();
      return true;
    });
  });

  it('has all of it in the audit log, also what was refused', async () => {
    const acts = (await actsOn(id)).filter(({ method }) => method !== 'GET');
    expect(acts.map(({ act, status, errorCode, request }) => [act, status, errorCode, request])).toEqual([
      ['ResumeAccount', 200, null, {}],
      ['SuspendAccount', 200, null, { reason }],
      ['SuspendAccount', 422, 'VALIDATION_ERROR', {}],
    ]);
    for (const { at, endedAt, clientIp, requestId, path, operatorName } of acts) {
      expect(Date.parse(endedAt!)).toBeGreaterThanOrEqual(Date.parse(at));
      expect([clientIp, requestId]).toEqual([expect.stringMatching(/^10\./), expect.any(String)]);
      expect([path, operatorName]).toEqual([expect.stringContaining(`/accounts/${id}/`), 'configured']);
    }
  });
});

test('an account has no more extensions, users and live calls than the operator allows', async () => {
  const room = await openCallRoom(stack);
  try {
    const account = await room.addExtension();
    const id = await desk.accountOf(account.domain);
    const limit = (limits: object) => desk.put<{ limits: object }>(`/accounts/${id}/limits`, limits);
    expect(refusalOf(await limit({ users: 0 })).details?.codes).toEqual({ users: ['range'] });
    expect(refusalOf(await limit({ users: 'many' })).status).toBe(422);
    const limits = { liveCalls: 1, extensions: 1, users: 1, recordingRetentionDays: 7 };
    expect((await limit(limits)).body).toMatchObject({ id, limits });
    expect((await desk.get(`/accounts/${id}`)).body).toMatchObject({ limits });

    const tooMany = (code: string, message: string) => ({
      status: 422,
      name: 'UnprocessableEntityError',
      code,
      message: `The account may have at most ${message}.`,
    });
    const user = { name: 'Bruno', email: `bruno-${randomUUID()}@example.com`, password: room.password };
    expect(refusalOf(await room.api().post('/users', user))).toEqual(tooMany('TOO_MANY_USERS', '1 users'));
    // Telephony and extensions hear of it within moments.
    await eventually(async () => {
      const asked = await room.api().post('/extensions/next-available', {});
      return asked.status === 422 && refusalOf(asked).code === 'TOO_MANY_EXTENSIONS';
    });
    const place = { extension: account.ramal, called: stack.testNumbers.answer };
    const phone = await Softphone.start({ ...account, server: stack.sip?.udp ?? '' });
    try {
      await phone.waitRegistered();
      await eventually(async () => {
        const asked = await room.api().post('/calls', place);
        return asked.status === 422 && refusalOf(asked).code === 'TOO_MANY_CALLS';
      });
    } finally {
      await phone.kill();
    }

    const none = { liveCalls: null, extensions: null, users: null, recordingRetentionDays: null };
    expect((await limit({ users: null })).body).toMatchObject({ limits: none });
    expect((await room.api().post('/users', user)).status).toBe(200);
    const acts = (await actsOn(id)).filter(({ method }) => method === 'PUT');
    expect(acts.map(({ act, status, request }) => [act, status, request])).toEqual([
      ['LimitAccount', 200, { users: null }],
      ['LimitAccount', 200, limits],
      ['LimitAccount', 422, { users: 'many' }],
      ['LimitAccount', 422, { users: 0 }],
    ]);
  } finally {
    await room.close();
  }
});

test('nobody changes the audit log, not even the service that writes it', async () => {
  const client = new Client({ connectionString: stack.postgresUrl });
  await client.connect();
  try {
    await client.query('SET ROLE sabia_identity; SET search_path TO identity');
    for (const change of [
      'DELETE FROM operator_acts',
      "UPDATE operator_acts SET act = 'x'",
      'TRUNCATE operator_act_outcomes',
    ]) {
      await expect(client.query(change)).rejects.toThrow(/append-only|permission denied/);
    }
  } finally {
    await client.end();
  }
});

test('trunks and switches are shown as they are, without passwords, and a switch can be told to take calls', async () => {
  const trunks = await desk.get<{ name: string; states: { switch: string; state: string }[] }[]>('/trunks');
  const carrier = trunks.body.find((each) => each.name === 'trunk-test');
  expect(carrier).toMatchObject({ format: 'e164', priority: 0, routes: [], maximumCalls: null, callsPerSecond: null });
  const switches = await desk.get<{ name: string; state: string; held: boolean }[]>('/switches');
  expect(switches.body).toMatchObject(Array(testFleet().switches).fill({ state: 'active', held: false }));
  const { name } = switches.body[0]!;
  expect(carrier!.states.map((each) => each.switch).sort()).toEqual(switches.body.map((each) => each.name).sort());
  expect(trunks.text).not.toContain('password');
  expect((await desk.put(`/switches/${name}`, { state: 'asleep' })).status).toBe(422);
  expect((await desk.put('/switches/nowhere', { state: 'active' })).status).toBe(404);
  // A switch of all tests that run beside this one: it goes on taking calls.
  expect((await desk.put(`/switches/${name}`, { state: 'active' })).body).toMatchObject({ name, held: false });
});
