import { randomUUID } from 'node:crypto';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { AccountLimited } from '@sabia/protos/sabia/identity/v1/events';
import { LoginRequest, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { onlyForHeader } from '@sabia/service-kit/events/envelope';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { deadLetterSubject } from '@sabia/service-kit/events/nats/topology';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { connect, headers } from 'nats';
import { hashToken } from '../src/domain/access-token';
import type { AccountLimits } from '../src/domain/account-limits';
import { codesOf, password, refusal, startIdentity } from './identity';
import type { Identity } from './identity';

const OPERATOR_TOKEN = `sabia-operator-${'o'.repeat(64)}`;
let identity: Identity;
beforeAll(async () => (identity = await startIdentity({ OPERATOR_TOKEN })));
afterAll(() => identity.stop());

const find = async (token: string) =>
  (await identity.client.authenticateOperator({ tokenHash: hashToken(token) })).operator;

async function asOperator(token = OPERATOR_TOKEN): Promise<{ scope: RequestScope }> {
  const caller = Caller.fromPartial({ operator: await find(token) });
  return { scope: { requestId: randomUUID(), signal: new AbortController().signal, caller } };
}

describe('the token of an operator', () => {
  it('is that of the configuration, while it is there, or one that an operator has made', async () => {
    expect(await find(OPERATOR_TOKEN)).toMatchObject({ name: 'configured' });
    expect(await find(`${OPERATOR_TOKEN}x`)).toBeUndefined();
    const person = await identity.createAccount();
    expect(await find(person.token)).toBeUndefined();
    expect((await identity.authenticate(OPERATOR_TOKEN)).state).toBe(TokenState.UNKNOWN);

    const name = `Rosa ${randomUUID()}`;
    const { uuid, token } = await identity.client.createOperator({ name }, await asOperator());
    expect(await find(token)).toEqual({ uuid, name });
    await identity.client.revokeOperator({ uuid }, await asOperator());
    expect(await find(token)).toBeUndefined();
    // The name is free again.
    await identity.client.createOperator({ name }, await asOperator());
  });

  it('that was in the configuration of a process before is unknown to one with another', async () => {
    const before = 'the-token-of-an-earlier-configuration';
    await identity.database.query('UPDATE operators SET token_hash = $1 WHERE configured', [hashToken(before)]);
    expect(await find(before)).toBeUndefined();
    expect(await find(OPERATOR_TOKEN)).toMatchObject({ name: 'configured' });
    expect(await find(before)).toBeUndefined();
  });

  it('is what every rpc of operators wants', async () => {
    const person = await identity.createAccount();
    const accountId = person.caller.accountId;
    const asked = [
      identity.client.listAccounts({ page: 1 }, identity.as(person)),
      identity.client.suspendAccount({ accountId, reason: 'no' }, identity.as(person)),
      identity.client.createOperator({ name: 'x' }, identity.as(person)),
      identity.client.beginOperatorAct(
        { act: 'x', method: 'GET', path: '/', accountId: 0, request: '{}' },
        identity.as(person),
      ),
    ];
    for (const request of asked) expect((await refusal(request)).kind).toBe(ErrorKind.DENIED);
    expect((await identity.authenticate(person.token)).state).toBe(TokenState.LIVE);
  });
});

describe('a suspension', () => {
  it('ends sessions, refuses tokens with its words, and gives them back', async () => {
    const person = await identity.createAccount();
    const { accountId } = person.caller;
    const login = LoginRequest.fromPartial({ email: person.email, password });
    const session = await identity.client.createSession({ email: person.email, password });
    const suspend = async (reason: string) =>
      (await identity.client.suspendAccount({ accountId, reason }, await asOperator())).account!;
    const first = await suspend('unpaid');
    expect(await identity.authenticate(person.token)).toMatchObject({
      state: TokenState.SUSPENDED,
      suspension: 'unpaid',
      caller: undefined,
    });
    expect((await identity.authenticate(session.token)).state).toBe(TokenState.UNKNOWN);
    expect(await refusal(identity.client.login(login))).toMatchObject({
      kind: ErrorKind.DENIED,
      code: 'ACCOUNT_SUSPENDED',
      message: 'This account is suspended: unpaid',
    });
    // Repeated, and with other words, it is the same suspension.
    expect(await suspend('unpaid')).toEqual(first);
    expect(await suspend('still unpaid')).toEqual({ ...first, suspensionReason: 'still unpaid' });

    const resume = async () => (await identity.client.resumeAccount({ accountId }, await asOperator())).account!;
    const resumed = await resume();
    expect(resumed.suspendedAt).toBeUndefined();
    expect(await resume()).toEqual(resumed);
    expect((await identity.authenticate(person.token)).state).toBe(TokenState.LIVE);
  });

  it('of an account that does not exist is refused', async () => {
    const request = identity.client.suspendAccount({ accountId: 999_999, reason: 'no' }, await asOperator());
    expect((await refusal(request)).kind).toBe(ErrorKind.NOT_FOUND);
    const again = identity.client.resumeAccount({ accountId: 999_999 }, await asOperator());
    expect((await refusal(again)).kind).toBe(ErrorKind.NOT_FOUND);
  });
});

describe('limits', () => {
  const limit = async (accountId: number, limits: Partial<Record<keyof AccountLimits, number>>) =>
    (await identity.client.limitAccount({ accountId, ...limits }, await asOperator())).account!;

  it('are shown with the account, published once, and the platform’s own again when they are left out', async () => {
    const { accountId, accountUuid } = (await identity.createAccount()).caller;
    const nats = await connect({ servers: new URL(testServers().natsUrl).host });
    const told: AccountLimited[] = [];
    nats.subscribe('sabia.identity.account.limited', {
      callback: (_error, { data }) => void told.push(AccountLimited.decode(Envelope.decode(data).payload)),
    });
    await nats.flush();
    const limits = { liveCalls: 5, extensions: 7, users: 3, recordingRetentionDays: 30 };
    const limited = await limit(accountId, limits);
    expect(limited).toMatchObject({ id: accountId, limits });
    expect(await limit(accountId, limits)).toEqual(limited);
    const { account } = await identity.client.getOperatedAccount({ accountId }, await asOperator());
    expect(account).toEqual(limited);
    expect((await limit(accountId, { users: 4 })).limits).toEqual({ users: 4 });
    await limit(accountId, { users: 4, recordingRetentionDays: 3650 });
    const published = await eventually(() => {
      const mine = told.filter((event) => event.accountUuid === accountUuid);
      return mine.length >= 3 && mine;
    });
    const names = { accountId, accountUuid, domain: limited.domain };
    expect(published.map((event) => ({ ...event }))).toEqual([
      { ...names, ...limits },
      { ...names, users: 4 },
      { ...names, users: 4, recordingRetentionDays: 3650 },
    ]);
    await nats.close();
  });

  it.each([0, -1, 1_000_001])('of %d are refused', async (wrong) => {
    const { accountId } = (await identity.createAccount()).caller;
    const refused = await refusal(limit(accountId, { liveCalls: wrong, extensions: wrong, users: 1 }));
    expect(codesOf(refused)).toEqual({ liveCalls: 'range', extensions: 'range' });
  });

  it.each([0, 3651])('of recordings of %d days are refused', async (wrong) => {
    const { accountId } = (await identity.createAccount()).caller;
    const refused = await refusal(limit(accountId, { recordingRetentionDays: wrong }));
    expect(codesOf(refused)).toEqual({ recordingRetentionDays: 'range' });
    expect(refused.message).toContain('must be 1 to 3650');
  });

  it('of an account that does not exist are refused, and nobody but an operator sets any', async () => {
    expect((await refusal(limit(999_999, {}))).kind).toBe(ErrorKind.NOT_FOUND);
    const person = await identity.createAccount();
    const { accountId } = person.caller;
    const asked = identity.client.limitAccount({ accountId, users: 9 }, identity.as(person));
    expect((await refusal(asked)).kind).toBe(ErrorKind.DENIED);
  });

  it('of users hold for requests at once; users beyond a lowered limit stay', async () => {
    const admin = await identity.createAccount();
    const { accountId } = admin.caller;
    await limit(accountId, { users: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => identity.createUser(admin)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await limit(accountId, { users: 1 })).toMatchObject({ users: 3, limits: { users: 1 } });
    expect(await refusal(identity.createUser(admin))).toMatchObject({
      kind: ErrorKind.UNPROCESSABLE,
      code: 'TOO_MANY_USERS',
      message: 'The account may have at most 1 users.',
    });
    await limit(accountId, {});
    await identity.createUser(admin);
  });
});

describe('the audit log', () => {
  it('keeps the first outcome of an act, and lists an act that has none yet', async () => {
    const operator = await asOperator();
    const act = { act: 'GrantCredit', method: 'POST', path: '/operator/v1/accounts/5/credit', accountId: 5 };
    const { id } = await identity.client.beginOperatorAct({ ...act, request: '{"amount":5}' }, operator);
    const read = async () => {
      const { data } = await identity.client.listOperatorActs({ page: 1, filter: `{"where":{"id":${id}}}` }, operator);
      return data[0]!;
    };
    expect(await read()).toMatchObject({ ...act, request: '{"amount":5}', status: undefined, endedAt: undefined });
    await identity.client.endOperatorAct({ id, status: 200, errorCode: '' }, operator);
    await identity.client.endOperatorAct({ id, status: 500, errorCode: 'LATER' }, operator);
    expect(await read()).toMatchObject({ status: 200, errorCode: undefined });
  });

  it('takes an outcome from nobody but the operator of the act', async () => {
    const operator = await asOperator();
    const act = { act: 'x', method: 'GET', path: '/', accountId: 0, request: '{}' };
    const { id } = await identity.client.beginOperatorAct(act, operator);
    const { token } = await identity.client.createOperator({ name: randomUUID() }, operator);
    await identity.client.endOperatorAct({ id, status: 200, errorCode: '' }, await asOperator(token));
    const { data } = await identity.client.listOperatorActs({ page: 1, filter: `{"where":{"id":${id}}}` }, operator);
    expect(data[0]!.status).toBeUndefined();
  });
});

describe('dead letters', () => {
  it('of every service are listed in pages, and given once more to the consumer that gave them up', async () => {
    const nats = await connect({ servers: new URL(testServers().natsUrl).host });
    const consumer = `tests-${randomUUID()}`;
    const replayed: string[] = [];
    nats.subscribe('sabia.tests.letter.written', {
      callback: (_error, { headers: given }) => void replayed.push(given?.get(onlyForHeader) ?? ''),
    });
    await ensureStreams(nats);
    for (const accountId of [7, 8, 9]) {
      const envelope = Envelope.fromPartial({ id: randomUUID(), type: 'tests.letter.written', version: 1, accountId });
      const letter = headers();
      letter.set('Sabia-Reason', 'no such table');
      letter.set('Sabia-Tries', '5');
      letter.set('Sabia-Subject', 'sabia.tests.letter.written');
      const bytes = Envelope.encode({ ...envelope, occurredAt: new Date() }).finish();
      await nats.jetstream().publish(deadLetterSubject(consumer), bytes, { headers: letter });
    }
    const operator = await asOperator();
    const list = (after?: number) => identity.client.listDeadLetters({ consumer, limit: 2, after }, operator);
    const first = await list();
    expect(first.data.map(({ accountId, reason, tries, eventType }) => [accountId, reason, tries, eventType])).toEqual([
      [7, 'no such table', 5, 'tests.letter.written'],
      [8, 'no such table', 5, 'tests.letter.written'],
    ]);
    const second = await list(first.next);
    expect([second.data.map(({ accountId }) => accountId), second.next]).toEqual([[9], undefined]);

    const { sequence } = first.data[0]!;
    await identity.client.replayDeadLetter({ sequence }, operator);
    await eventually(() => replayed.includes(consumer));
    expect((await list()).data.map(({ accountId }) => accountId)).toEqual([8, 9]);
    const again = await refusal(identity.client.replayDeadLetter({ sequence }, operator));
    expect(again.kind).toBe(ErrorKind.NOT_FOUND);
    await nats.close();
  });
});
