import type { User } from '@sabia/client';
import { createAdmin, createUser, newUser, type Person } from '../src/people';
import { refusalOf } from '../src/refusals';
import { testStack } from '../src/test-stack';

const fields = 'id, uuid, name, email, pendingEmail, phone, role, emailVerified, createdAt, updatedAt, lastLoginAt';

describe('GET /users with a filter', () => {
  let admin: Person;
  let stranger: Person;
  /** admin, ana, bia, carla: id ascending. */
  let all: User[];

  beforeAll(async () => {
    [admin, stranger] = [await createAdmin(testStack()), await createAdmin(testStack())];
    for (const body of [
      { name: 'Ana', phone: '+5511911111111', role: 'USER', emailVerified: true },
      { name: 'Bia 100%', phone: '+5511922222222', role: 'ADMIN', emailVerified: false },
      { name: 'carla', phone: undefined, role: 'USER', emailVerified: true },
    ])
      expect((await admin.api().post('/users', { ...newUser(), ...body })).status).toBe(200);
    all = (await admin.api().get<User[]>('/users')).body;
  });

  const get = (query: Record<string, string>) => admin.api().get<User[]>('/users', { query });
  const find = async (filter: unknown): Promise<User[]> => {
    const answer = await get({ filter: JSON.stringify(filter) });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };
  const names = async (filter: unknown) => (await find(filter)).map(({ name }) => name);
  const namesByBrackets = async (text: string) =>
    (await admin.api().get<User[]>(`/users?${text}`)).body.map(({ name }) => name);
  const today = () => new Date().toISOString();

  it.each([
    ['a bare value', { name: 'Ana' }, ['Ana']],
    ['a list as any of', { name: ['Ana', 'carla'] }, ['Ana', 'carla']],
    ['eq', { name: { eq: 'carla' } }, ['carla']],
    [
      'neq, null counts as different',
      { phone: { neq: '+5511911111111' }, name: { neq: 'x' } },
      ['', 'Bia 100%', 'carla'],
    ],
    ['null', { phone: null }, ['carla']],
    ['not null', { phone: { neq: null }, role: 'USER' }, ['Ana']],
    ['booleans and their strings', { emailVerified: 'false' }, ['Bia 100%']],
    ['inq', { name: { inq: ['Ana', 'nobody'] } }, ['Ana']],
    ['nin', { name: { nin: ['Ana', 'carla'] } }, ['', 'Bia 100%']],
    ['like, anchored and with case', { name: { like: 'A%' } }, ['Ana']],
    ['like without a wildcard', { name: { like: 'An' } }, []],
    ['ilike', { name: { ilike: 'CAR%A' } }, ['carla']],
    ['nlike', { name: { nlike: '%a%' }, role: 'USER' }, []],
    ['nilike', { name: { nilike: '%N%' }, role: 'USER' }, ['carla']],
    ['an escaped wildcard', { name: { like: '%100\\%' } }, ['Bia 100%']],
    ['regexp with flags', { name: { regexp: '/^CAR/i' } }, ['carla']],
    ['regexp without', { name: { regexp: '^(Ana|carla)$' } }, ['Ana', 'carla']],
    ['several operators as and', { name: { gte: 'A', lt: 'B' } }, ['Ana']],
    ['and, or', { or: [{ name: 'Ana' }, { and: [{ role: 'ADMIN' }, { emailVerified: false }] }] }, ['Ana', 'Bia 100%']],
    ['bounds of time', { createdAt: { gt: '2000-01-01T00:00:00Z', lt: '2001-01-01' } }, []],
    ['between', { createdAt: { between: ['2000-01-01', '2999-01-01'] }, name: 'Ana' }, ['Ana']],
    ['no login yet', { lastLoginAt: null, role: 'USER' }, ['Ana', 'carla']],
    ['an empty where', {}, ['', 'Ana', 'Bia 100%', 'carla']],
  ] as [string, object, string[]][])('knows %s', async (_what, where, expected) => {
    expect(await names({ where })).toEqual(expected.map((name) => name || admin.name));
  });

  it('compares numbers with their strings, and uuids in any case', async () => {
    const [, ana] = all;
    for (const where of [
      { id: ana?.id },
      { id: String(ana?.id) },
      { id: { inq: [String(ana?.id)] } },
      { id: { between: [String(ana?.id), ana?.id] } },
      { uuid: ana?.uuid.toUpperCase() },
      { createdAt: ana?.createdAt },
    ])
      expect(await names({ where })).toEqual(['Ana']);
  });

  it('reads a date alone as the whole day', async () => {
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' });
    const before = day.format(new Date(all[0]!.createdAt));
    const after = day.format(new Date(today()));
    expect(await find({ where: { createdAt: { between: [before, after] } } })).toHaveLength(4);
    expect(await find({ where: { createdAt: { lt: before } } })).toEqual([]);
    expect(await find({ where: { createdAt: { gt: after } } })).toEqual([]);
  });

  it('orders by a text, a comma list and an array, in any case', async () => {
    for (const order of ['name desc', 'name DESC', ['name DESC'], ['role ASC', 'name DESC'].slice(1)])
      expect((await names({ order, where: { role: 'USER' } }))[0]).toBe('carla');
    const byRole = await find({ order: ['role DESC', 'id DESC'] });
    expect(byRole.map(({ id }) => id)).toEqual([all[3], all[1], all[2], all[0]].map((each) => each?.id));
    expect(await find({ order: 'role DESC, id DESC' })).toEqual(byRole);
    expect(await find({ order: '' })).toEqual(all);
  });

  it('takes limit, offset and skip, as numbers or strings', async () => {
    expect(await find({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await find({ limit: '2', offset: '1' })).toEqual(all.slice(1, 3));
    expect(await find({ limit: 1, skip: 3 })).toEqual(all.slice(3));
    expect(await find({ limit: 0 })).toEqual(all);
    expect(await find({ limit: 5000, offset: 4 })).toEqual([]);
  });

  it('selects fields by list, by text and by object', async () => {
    const [first] = all;
    const { name, email } = first!;
    for (const selection of [['name', 'email'], 'name,email', { name: true, email: true }])
      expect((await find({ fields: selection, limit: 1 }))[0]).toEqual({ name, email });
    const { uuid: _uuid, ...others } = first!;
    expect((await find({ fields: { uuid: false }, limit: 1 }))[0]).toEqual(others);
  });

  it('understands the bracket form', async () => {
    expect(await namesByBrackets('filter[where][name]=Ana')).toEqual(['Ana']);
    expect(await namesByBrackets('filter%5Bwhere%5D%5Bname%5D=Ana')).toEqual(['Ana']);
    expect(await namesByBrackets('filter[where][name][like]=c%25')).toEqual(['carla']);
    expect(await namesByBrackets('filter[where][name][inq][0]=Ana&filter[where][name][inq][1]=carla')).toEqual([
      'Ana',
      'carla',
    ]);
    expect(await namesByBrackets('filter[where][name][inq][]=Ana&filter[where][name][inq][]=carla')).toHaveLength(2);
    expect(await namesByBrackets('filter[where][or][0][name]=Ana&filter[where][or][1][name]=carla')).toHaveLength(2);
    expect(await namesByBrackets(`filter[where][id]=${all[1]?.id}`)).toEqual(['Ana']);
    expect(await namesByBrackets('filter[where][emailVerified]=false')).toEqual(['Bia 100%']);
    expect(await namesByBrackets('filter[order]=id%20DESC&filter[limit]=1')).toEqual(['carla']);
    expect(await namesByBrackets('filter[order][0]=role%20DESC&filter[order][1]=id%20DESC&filter[limit]=1')).toEqual([
      'carla',
    ]);
    expect((await admin.api().get('/users?filter[fields][0]=email&filter[limit]=1')).body).toEqual([
      { email: admin.email },
    ]);
  });

  it('ignores an empty filter and other parameters', async () => {
    for (const query of [{ filter: '' }, { filter: '{}' }, { page: '1', utm: 'x' }] as Record<string, string>[])
      expect((await get(query)).body).toEqual(all);
  });

  it.each([
    ['{', 'The "filter" parameter is not valid JSON.'],
    ['[]', 'The "filter" parameter must be a JSON object.'],
    ['"x"', 'The "filter" parameter must be a JSON object.'],
    ['{"where":[]}', 'Invalid filter: "where" must be an object'],
    ['{"where":{"password":1}}', `Invalid filter: user has no field "password"; the fields are ${fields}`],
    ['{"where":{"account_id":1}}', `Invalid filter: user has no field "account_id"; the fields are ${fields}`],
    [
      '{"where":{"passwordHash":{"like":"%"}}}',
      `Invalid filter: user has no field "passwordHash"; the fields are ${fields}`,
    ],
    ['{"order":"password_hash"}', `Invalid filter: user has no field "password_hash"; the fields are ${fields}`],
    [
      '{"order":"name sideways"}',
      'Invalid filter: "name sideways" in "order" is not of the form "field ASC" or "field DESC"',
    ],
    ['{"fields":["secret"]}', `Invalid filter: user has no field "secret"; the fields are ${fields}`],
    ['{"include":"account"}', 'Invalid filter: user cannot include "account"; nothing can be included'],
    [
      '{"where":{"name":{"$gt":""}}}',
      'Invalid filter: "name" has the unknown operator "$gt"; there are eq, neq, gt, gte, lt, lte, between, inq, nin, like, nlike, ilike, nilike, regexp',
    ],
    ['{"where":{"id":"abc"}}', 'Invalid filter: "abc" cannot be compared with "id", which is of type integer'],
    ['{"where":{"name":{"between":["a"]}}}', 'Invalid filter: "between" on "name" needs a list of two values'],
    ['{"where":{"name":{"regexp":"("}}}', 'Invalid filter: its regular expression is not valid'],
    ['{"limit":-1}', 'Invalid filter: "limit" must be a whole number that is not negative'],
    ['{"offset":"x"}', 'Invalid filter: "offset" must be a whole number that is not negative'],
    ['{"with":1}', 'Invalid filter: unknown key "with"; there are where, fields, include, order, limit, offset, skip'],
  ])('refuses %s', async (filter, message) => {
    const name = 'BadRequestError';
    expect(refusalOf(await get({ filter }))).toEqual({ status: 400, name, code: 'INVALID_FILTER', message });
  });

  it('never leaves the account', async () => {
    for (const where of [
      { email: stranger.email },
      { or: [{ id: stranger.id }, { uuid: stranger.uuid }] },
      { id: { nin: all.map(({ id }) => id) } },
      { name: { nlike: 'x' }, id: { nin: all.map(({ id }) => id) } },
    ])
      expect(await find({ where })).toEqual([]);
    const colleague = await createUser(stranger);
    expect((await colleague.api().get<User[]>('/users')).body.map(({ id }) => id)).toEqual([stranger.id, colleague.id]);
  });
});
