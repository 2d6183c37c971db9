import { createAdmin, createUser, type Person } from '../src/people';
import { accessDenied, blank, invalid, refusalOf } from '../src/refusals';
import { isoTime, uuidText } from '../src/shapes';
import { testStack } from '../src/test-stack';

interface Account {
  id: number;
  uuid: string;
  domain: string;
  name: string;
  email: string;
  phone: string;
  timeZone: string;
  areaCode: string | null;
  recordingFormat: string;
  language: string;
  createdAt: string;
  updatedAt: string;
}

describe('/accounts', () => {
  let admin: Awaited<ReturnType<typeof createAdmin>>;
  let user: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack(), { phone: '(11) 98765-4321' });
    user = await createUser(admin);
  });

  const read = async (): Promise<Account> => (await admin.api().get<Account>('/accounts')).body;
  const patch = (body: unknown) => admin.api().patch<Account>('/accounts', body);

  it('GET answers the account of the caller, ADMIN or USER', async () => {
    const answer = await admin.api().get('/accounts');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.any(Number) as number,
      uuid: expect.stringMatching(uuidText) as string,
      domain: admin.domain,
      name: admin.organizationName,
      email: admin.email,
      phone: '(11) 98765-4321',
      timeZone: 'America/Sao_Paulo',
      areaCode: '11',
      recordingFormat: 'wav',
      language: 'pt-BR',
      createdAt: expect.stringMatching(isoTime) as string,
      updatedAt: expect.stringMatching(isoTime) as string,
    });
    expect((await user.api().get('/accounts')).body).toEqual(answer.body);
  });

  it('PATCH changes name, email and phone, one or all, and answers the account', async () => {
    const before = await read();
    const renamed = await patch({ name: '  Sabiá Ltda ' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toEqual({ ...before, name: 'Sabiá Ltda', updatedAt: renamed.body.updatedAt });
    expect(Date.parse(renamed.body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));

    const all = await patch({ name: 'Sabiá', email: 'Contato@Example.com', phone: 1134567890 });
    expect(all.body).toEqual({
      ...before,
      name: 'Sabiá',
      email: 'contato@example.com',
      phone: '1134567890',
      updatedAt: all.body.updatedAt,
    });
    expect(await read()).toEqual(all.body);
    // The account's e-mail is a contact address, not a login.
    expect((await admin.api().get('/users/me')).body).toMatchObject({ email: admin.email, emailVerified: true });
  });

  it('PATCH ignores fields that are missing, null or unknown', async () => {
    const before = await read();
    for (const body of [
      {},
      { name: null, email: null },
      { domain: 'other.sabia.localhost', uuid: 'x', id: 1, crm: 'HubSpot', createdAt: '2000-01-01' },
    ]) {
      const answer = await patch(body);
      expect(answer.status).toBe(200);
      expect({ ...answer.body, updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
    }
  });

  it.each([
    ['name', '', blank],
    ['name', 'x'.repeat(201), ['length', 'must be at most 200 characters long']],
    ['name', false, ['type', 'must be a string']],
    ['email', ' ', blank],
    ['email', 'nobody@', ['format', 'is not a valid e-mail address']],
    ['phone', '', blank],
    ['phone', '99', ['format', 'is not a valid phone number']],
    ['phone', ['1'], ['type', 'must be a string']],
  ] as [string, unknown, [string, string]][])('PATCH refuses %s %j', async (field, value, problem) => {
    const before = await read();
    expect(refusalOf(await patch({ name: 'Not to be seen', [field]: value }))).toEqual(
      invalid('account', { [field]: problem }),
    );
    expect(await read()).toEqual(before);
  });

  it('PATCH is for an ADMIN', async () => {
    expect(refusalOf(await user.api().patch('/accounts', { name: 'Mine' }))).toEqual(accessDenied);
  });
});
