import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../src/eventually';
import { createAdmin, createUser, type Person } from '../src/people';
import { accessDenied, blank, invalid, refusalOf, unauthorized, type Refusal } from '../src/refusals';
import { testStack } from '../src/test-stack';

const path = '/accounts/financial';

const locked = (message: string): Refusal => ({ status: 409, name: 'ConflictError', code: 'TAX_ID_LOCKED', message });
const taxIdLocked = locked('The tax id of an active financial account cannot be changed.');
const noTaxId: [string, string] = ['format', 'must be a valid CPF or CNPJ'];
const noPhone: [string, string] = ['format', 'must be a valid phone number'];

/** All tax ids that this file sends, valid or not, as they are written. */
const sent: string[] = [];

function post(person: Person, cpfCnpj: unknown) {
  if (typeof cpfCnpj === 'string' && cpfCnpj.length > 9) sent.push(cpfCnpj);
  return person.api().post<Record<string, string | null>>(path, { cpfCnpj });
}

/** A new CPF with its check digits. */
function anyCpf(): string {
  const digits = Array.from({ length: 9 }, () => Math.floor(Math.random() * 10));
  for (const length of [9, 10]) {
    const sum = digits.reduce((all, digit, at) => all + digit * (length + 1 - at), 0);
    digits.push(((sum * 10) % 11) % 10);
  }
  return digits.join('');
}

describe('the financial account', () => {
  it('is not there before it is made', async () => {
    const admin = await createAdmin(testStack());
    expect(refusalOf(await admin.api().get(path))).toMatchObject({ status: 404, code: 'MODEL_NOT_FOUND' });
    expect(refusalOf(await admin.api().put(path, { phone: '1130033030' }))).toMatchObject({ status: 404 });
  });

  it.each([
    ['529.982.247-25', '52998224725', 'FISICA'],
    ['11.222.333/0001-81', '11222333000181', 'JURIDICA'],
    ['12.ABC.345/01DE-35', '12ABC34501DE35', 'JURIDICA'],
    ['12abc34501de35', '12ABC34501DE35', 'JURIDICA'],
  ])('is made with %s, and shows every field', async (cpfCnpj, value, personType) => {
    const admin = await createAdmin(testStack());
    const made = await post(admin, cpfCnpj);
    expect(made).toMatchObject({ status: 200, body: { status: 'ACTIVE', cpfCnpj: value, personType } });
    // Company, e-mail and phone are those of the account, once its event has arrived.
    const shown = await eventually(async () => {
      const { body } = await admin.api().get<{ company: string | null }>(path);
      return body.company !== null && body;
    });
    expect(shown).toEqual({
      status: 'ACTIVE',
      company: admin.organizationName,
      name: null,
      email: admin.email,
      phone: '+5511987654321',
      mobilePhone: null,
      personType,
      cpfCnpj: value,
      address: null,
      addressNumber: null,
      addressComplement: null,
      addressProvince: null,
      addressDistrict: null,
      addressCity: null,
      addressState: null,
      addressCountry: null,
      addressZipCode: null,
      additionalEmails: null,
    });
    sent.push(value);
    expect((await (await createUser(admin)).api().get(path)).body).toEqual(shown);
  });

  it.each([
    ['529.982.247-26', noTaxId],
    ['111.111.111-11', noTaxId],
    ['00000000000000', noTaxId],
    ['11.222.333/0001-82', noTaxId],
    ['12.ABC.345/01DE-36', noTaxId],
    ['12.ABC.345/01DE-3A', noTaxId],
    ['5299822472', noTaxId],
    ['nonsense', noTaxId],
    ['', blank],
    [null, blank],
    [undefined, blank],
    [true, ['type', 'must be a string']],
  ] as [unknown, [string, string]][])('refuses %j', async (cpfCnpj, reason) => {
    const admin = await createAdmin(testStack());
    const refusal = refusalOf(await post(admin, cpfCnpj));
    expect(refusal).toEqual(invalid('financialAccount', { cpfCnpj: reason }));
    expect((await admin.api().get(path)).status).toBe(404);
  });

  it('once active, keeps its tax id; contacts may change', async () => {
    const admin = await createAdmin(testStack());
    const cpf = anyCpf();
    const first = await post(admin, cpf);
    expect(first).toMatchObject({ status: 200, body: { status: 'ACTIVE', personType: 'FISICA' } });
    // The same tax id changes nothing, however it is written.
    expect(await post(admin, `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`)).toMatchObject(
      {
        status: 200,
        body: first.body,
      },
    );
    expect(refusalOf(await post(admin, '11.222.333/0001-81'))).toEqual(taxIdLocked);
    for (const change of [{ cpfCnpj: '11222333000181' }, { name: 'x' }, { addressCity: 'x', phone: '1130033030' }]) {
      const fields = Object.keys(change).filter((field) => field !== 'phone');
      const refusal = refusalOf(await admin.api().put(path, change));
      expect(refusal).toEqual(locked(`An active financial account cannot change ${fields.join(', ')}.`));
    }
    expect((await admin.api().get(path)).body).toMatchObject({ cpfCnpj: cpf, name: null, addressCity: null });

    const contacts = {
      phone: '(11) 3003-3030',
      mobilePhone: '+55 11 98765-4321',
      additionalEmails: 'a@b.com, c@d.com',
    };
    const changed = await admin.api().put(path, contacts);
    expect(changed).toMatchObject({
      status: 200,
      body: { cpfCnpj: cpf, ...contacts, additionalEmails: 'a@b.com,c@d.com' },
    });
    expect((await admin.api().put(path, { mobilePhone: '' })).body).toMatchObject({ mobilePhone: null });
    const wrong = { phone: '12', mobilePhone: 'x', additionalEmails: 'nobody' };
    expect(refusalOf(await admin.api().put(path, wrong))).toEqual(
      invalid('financialAccount', {
        phone: noPhone,
        mobilePhone: noPhone,
        additionalEmails: ['format', 'must be e-mails separated by commas'],
      }),
    );
  });

  it('is written by an ADMIN only, and not readable for other accounts', async () => {
    const [admin, stranger] = [await createAdmin(testStack()), await createAdmin(testStack())];
    const user = await createUser(admin);
    expect(refusalOf(await post(user, anyCpf()))).toEqual(accessDenied);
    expect((await post(admin, anyCpf())).status).toBe(200);
    expect(refusalOf(await user.api().put(path, { phone: '1130033030' }))).toEqual(accessDenied);
    expect((await stranger.api().get(path)).status).toBe(404);
    for (const method of ['GET', 'POST', 'PUT']) {
      expect(refusalOf(await admin.api().withToken(undefined).request(method, path))).toEqual(unauthorized);
    }
  });

  it('is in no log of any process, as it was sent or as it is kept', async () => {
    const admin = await createAdmin(testStack());
    const cpf = anyCpf();
    await post(admin, cpf);
    await admin.api().post('/charges', { amount: 10, dueDate: '2020-01-01', cpfCnpj: cpf });
    await admin.api().put(path, { cpfCnpj: cpf, phone: cpf });
    await admin.api().request('POST', path, { rawBody: `{"cpfCnpj":"${cpf}"` });
    await admin.api().get(path, { query: { cpfCnpj: cpf } });
    const folder = join(testStack().home, 'logs');
    const logs = readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
    expect(logs.map(({ file }) => file)).toEqual(expect.arrayContaining(['billing.log', 'gateway.log']));
    // As written, and without the punctuation.
    const forms = new Set([cpf, ...sent, ...sent.map((taxId) => taxId.replace(/[\s./-]/g, '').toUpperCase())]);
    expect(forms.size).toBeGreaterThan(10);
    const found = logs.flatMap(({ file, text }) =>
      [...forms].filter((form) => text.includes(form)).map((form) => [file, form]),
    );
    expect(found).toEqual([]);
  });
});
