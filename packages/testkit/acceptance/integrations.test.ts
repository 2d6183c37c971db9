import { createMailbox } from '../src/mailbox';
import { createAdmin, createUser, type Person } from '../src/people';
import { blank, invalid, refusalOf, taken, unauthorized, unknownId } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';

interface Integration {
  id: number;
  gateway: string;
  webhook: boolean;
  webhookConstraint: unknown;
  metadata: Record<string, unknown>;
  webhookSecret: string | null;
}

let ana: Person & { domain: string };

beforeAll(async () => {
  ana = await createAdmin(testStack());
});

const patch = (person: Person, body: object) => person.api().patch<Integration>('/integrations', body);
const list = async (person: Person, query: Record<string, string> = {}) =>
  (await person.api().get<Integration[]>('/integrations', { query })).body;

async function integrate(gateway: string, settings: object = {}, more: object = {}): Promise<Integration> {
  const metadata = { webhookUrl: `http://127.0.0.1:9/${gateway}`, ...settings };
  const answer = await patch(ana, { gateway, webhook: true, metadata, ...more });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('PATCH, GET and DELETE /integrations', () => {
  it('only create with If-None-Match: *', async () => {
    const boss = await createAdmin(testStack());
    const send = (body: object, condition: string) =>
      boss.api().patch('/integrations', body, { headers: { 'if-none-match': condition } });
    expect((await send({ gateway: 'once' }, '*')).status).toBe(200);
    expect(refusalOf(await send({ gateway: 'once', webhook: true }, '*'))).toMatchObject({
      ...{ status: 412, name: 'PreconditionFailedError', code: 'ALREADY_EXISTS' },
    });
    expect((await list(boss, { gateway: 'once' })).map(({ webhook }) => webhook)).toEqual([false]);
    expect(refusalOf(await send({ gateway: 'once' }, '"a-tag"'))).toMatchObject({ code: 'INVALID_IF_NONE_MATCH' });
    // A field of this name is unknown, and so ignored.
    expect((await patch(boss, { gateway: 'once', createOnly: true, create_only: true })).status).toBe(200);
  });

  it('create, change by id, by gateway and with an id of 0 or null, and delete', async () => {
    const metadata = '{ "webhookUrl":"http://127.0.0.1:9/a", "zone":{"b":1.0,"a":[]}, "n":12345678901234567890 }';
    const created = await ana.api().request<Integration>('PATCH', '/integrations', {
      rawBody: `{"id":0,"gateway":" crm ","webhook":true,"webhookConstraint":{"metadata":{"a": 1}},"metadata":${metadata}}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(created.status).toBe(200);
    expect(Object.keys(created.body)).toEqual([
      ...['id', 'gateway', 'webhook', 'webhookConstraint', 'metadata'],
      ...['webhookSecret', 'disabledReason', 'createdAt', 'updatedAt', 'disabledWhy'],
    ]);
    expect(created.text).toContain(`"webhookConstraint":{"metadata":{"a": 1}},"metadata":${metadata},`);
    expect(created.body).toMatchObject({
      ...{ id: expect.any(Number) as unknown, gateway: 'crm', webhook: true, disabledReason: null },
      webhookSecret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) as unknown,
      createdAt: expect.stringMatching(isoTime) as unknown,
    });

    const { id } = created.body;
    expect((await patch(ana, { id, gateway: 'erp' })).body).toMatchObject({ id, gateway: 'erp', webhook: true });
    expect((await patch(ana, { id: null, gateway: 'erp', webhook: false })).body).toMatchObject({
      ...{ id, webhook: false, webhookSecret: null, webhookConstraint: { metadata: { a: 1 } } },
    });
    const other = await patch(ana, { gateway: 'crm', metadata: JSON.stringify({ team: 'x' }) });
    expect(other.body).toMatchObject({ webhook: false, metadata: { team: 'x' }, webhookConstraint: null });
    expect(other.body.id).not.toBe(id);
    expect(refusalOf(await patch(ana, { id, gateway: 'crm' }))).toEqual(invalid('integration', { gateway: taken }));

    expect((await list(ana)).map(({ gateway }) => gateway)).toEqual(['erp', 'crm']);
    expect((await list(ana, { filter: '{"where":{"gateway":"erp"}}' })).map((each) => each.id)).toEqual([id]);
    expect(await list(ana, { 'filter[where][metadata.team]': 'x' })).toEqual([other.body]);

    for (const each of [id, other.body.id]) {
      const gone = await ana.api().delete(`/integrations/${each}`);
      expect([gone.status, gone.text]).toEqual([204, '']);
    }
    expect(refusalOf(await ana.api().delete(`/integrations/${id}`))).toEqual(unknownId('integration', id));
    expect(await list(ana)).toEqual([]);
  });

  it('take a constraint away with null or {}; leaving it out leaves it', async () => {
    const { id } = await integrate('constrained', {}, { webhookConstraint: { a: 1 } });
    expect((await patch(ana, { id, webhook: true })).body.webhookConstraint).toEqual({ a: 1 });
    expect((await patch(ana, { id, webhookConstraint: null })).body.webhookConstraint).toEqual({});
    expect((await patch(ana, { id, webhookConstraint: { b: 2 } })).body.webhookConstraint).toEqual({ b: 2 });
    expect((await patch(ana, { id, webhookConstraint: {} })).body.webhookConstraint).toEqual({});
  });

  it('keep the gateways of two users apart, and show each to the whole account', async () => {
    const bob = await createUser(ana);
    const mine = await integrate('shared');
    const theirs = (await patch(bob, { gateway: 'shared' })).body;
    expect(theirs.id).not.toBe(mine.id);
    expect((await list(bob)).map(({ id }) => id)).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    expect((await patch(bob, { id: mine.id, metadata: mine.metadata })).body).toMatchObject({ id: mine.id });
  });

  const types = 'channel-create, channel-answer, channel-hangup, call-recorded, call-priced';
  it.each<[string, object, Record<string, [string, string]>]>([
    ['nothing', {}, { gateway: blank }],
    ['a long gateway', { gateway: 'x'.repeat(65) }, { gateway: ['length', 'must be at most 64 characters long'] }],
    ['no URL', { gateway: 'x', webhook: true }, { 'metadata.webhookUrl': blank }],
    ['no URL but text', settings({ webhookUrl: 'crm' }), { 'metadata.webhookUrl': url() }],
    ['another protocol', settings({ webhookUrl: 'ftp://example.com/' }), { 'metadata.webhookUrl': url() }],
    ['a number', settings({ webhookUrl: 7 }), { 'metadata.webhookUrl': url() }],
    [
      'a password in the URL',
      settings({ webhookUrl: 'https://a:b@example.com/' }),
      { 'metadata.webhookUrl': ['format', 'must not contain a user or a password; use webhookHeaders'] },
    ],
    [
      'an unknown type and version',
      settings({ webhookTypes: ['channel-answer', 'call'], webhookVersion: '1.9' }),
      {
        'metadata.webhookVersion': ['inclusion', 'must be one of 1.8, v1.8, 1.4, v1.4'],
        'metadata.webhookTypes': ['inclusion', `must be some of ${types}`],
      },
    ],
    [
      'a header of ours',
      settings({ webhookHeaders: { 'Webhook-Id': '1' } }),
      { 'metadata.webhookHeaders': ['exclusion', 'must not contain webhook-id'] },
    ],
    [
      'no objects',
      { gateway: 'x', metadata: [1], webhookConstraint: 'x' },
      { webhookConstraint: ['type', 'must be an object'], metadata: ['type', 'must be an object'] },
    ],
  ])('refuse %s', async (_name, body, fields) => {
    expect(refusalOf(await patch(ana, body))).toEqual(invalid('integration', fields));
  });

  function settings(given: object): object {
    return { gateway: 'x', webhook: true, metadata: { webhookUrl: 'https://example.com/', ...given } };
  }
  function url(): [string, string] {
    return ['format', 'must be an http or https URL'];
  }
});

describe('a user of another account, or a client without a token', () => {
  const routes: [string, string, object?][] = [
    ['DELETE', '/integrations/{id}'],
    ['GET', '/integrations/{id}/deliveries?page=1'],
    ['POST', '/integrations/{id}/test'],
    ['POST', '/integrations/{id}/rotate-secret'],
    ['POST', '/integrations/{id}/replay', {}],
    ['POST', '/integrations/{id}/deliveries/01234567-89ab-7cde-8f01-23456789abcd/replay'],
  ];

  it('finds nothing', async () => {
    const stranger = await createAdmin(testStack());
    const { id } = await integrate('private');
    expect(refusalOf(await patch(stranger, { id, gateway: 'mine' }))).toEqual(unknownId('integration', id));
    for (const [method, path, body] of routes) {
      const answer = await stranger.api().request(method, path.replace('{id}', String(id)), { body });
      expect([path, refusalOf(answer)]).toEqual([path, unknownId('integration', id)]);
      const anonymous = await ana
        .api()
        .withToken(undefined)
        .request(method, path.replace('{id}', String(id)), { body });
      expect(refusalOf(anonymous)).toEqual(unauthorized);
    }
    expect(await list(stranger)).toEqual([]);
    expect(await list(ana, { filter: '{"where":{"gateway":"private"}}' })).toMatchObject([{ id }]);
  });

  it('of a deleted user are disabled, and the ADMINs get a mail', async () => {
    const bob = await createUser(ana);
    const metadata = { webhookUrl: 'http://127.0.0.1:9/bob' };
    const { id } = (await patch(bob, { gateway: 'left-behind', webhook: true, metadata })).body;
    expect((await ana.api().delete(`/users/${bob.uuid}`)).status).toBe(204);
    const mail = await createMailbox(testStack().mailboxUrl).waitForMail(ana.email, ({ subject }) =>
      subject.includes('left-behind'),
    );
    expect(mail.text).toContain('o usuário dono da integração foi excluído.');
    expect(await list(ana)).toContainEqual(
      expect.objectContaining({ id, disabledReason: 'The user who owned the integration was deleted.' }),
    );
    expect((await patch(ana, { id, webhook: true })).body).toMatchObject({ id, disabledReason: null });
  });
});
