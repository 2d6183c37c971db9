import { FinancialAccountStatus, PersonType } from '@sabia/protos/sabia/billing/v1/messages';
import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { identityEvents } from '@sabia/protos/events/identity';
import { AccountCreated, AccountUpdated } from '@sabia/protos/sabia/identity/v1/events';
import { unavailable } from '@sabia/service-kit/errors';
import { onAccountTold } from '../src/events/on-account-told';
import { tellUntold } from '../src/payments/customers';
import { PaymentRefused } from '../src/payments/port';
import type { Customer, PaymentProvider } from '../src/payments/port';
import { openStage, sandbox } from './stage';
import type { Stage } from './stage';

const cpf = '529.982.247-25';
const cnpj = '11.222.333/0001-81';

describe('the financial account', () => {
  let stage: Stage;
  let time = new Date('2026-03-10T12:00:00Z');
  let account = 1;
  let answer: 'accept' | 'away' | 'refuse' = 'accept';
  const told: Customer[] = [];

  const reply = (customer: Customer): void => {
    if (answer === 'away') {
      throw unavailable('away');
    }
    if (answer === 'refuse') {
      throw new PaymentRefused('CPF inválido');
    }
    told.push(customer);
  };
  const provider: PaymentProvider = {
    ...sandbox,
    registerCustomer: async (customer) => {
      reply(customer);
      return `cus_${customer.accountId}`;
    },
    updateCustomer: async (_id, customer) => reply(customer),
  };

  beforeAll(async () => {
    stage = await openStage({ now: () => time, provider });
  });

  beforeEach(() => {
    account++;
    answer = 'accept';
    told.length = 0;
  });

  afterAll(() => stage.close());

  const get = (role = Role.ADMIN) => stage.call('getFinancialAccount', {}, { accountId: account, role });
  const post = (cpfCnpj?: string, role = Role.ADMIN) =>
    stage.call('createFinancialAccount', { cpfCnpj }, { accountId: account, role });
  const put = (change: object, role = Role.ADMIN) =>
    stage.call('updateFinancialAccount', change, { accountId: account, role });

  test('is not there before it is made', async () => {
    await expect(get()).rejects.toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' });
    await expect(put({ phone: '1130033030' })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });

  test.each([
    [cpf, '52998224725', PersonType.FISICA],
    [cnpj, '11222333000181', PersonType.JURIDICA],
    ['12.ABC.345/01DE-35', '12ABC34501DE35', PersonType.JURIDICA],
  ])('made with %s', async (text, value, personType) => {
    const { account: made } = await post(text);
    expect(made).toMatchObject({ status: FinancialAccountStatus.ACTIVE, cpfCnpj: value, personType });
    expect((await get(Role.USER)).account).toEqual(made);
  });

  test.each([
    [undefined, 'presence'],
    ['', 'presence'],
    ['529.982.247-26', 'format'],
    ['111.111.111-11', 'format'],
    ['12.ABC.345/01DE-36', 'format'],
    ['nonsense', 'format'],
  ])('refused: %s', async (text, code) => {
    await expect(post(text)).rejects.toMatchObject({
      kind: ErrorKind.VALIDATION,
      context: 'financialAccount',
      violations: [{ field: 'cpfCnpj', code }],
    });
  });

  test('only an ADMIN writes', async () => {
    await expect(post(cpf, Role.USER)).rejects.toMatchObject({ kind: ErrorKind.DENIED });
    await post(cpf);
    await expect(put({ phone: '1130033030' }, Role.USER)).rejects.toMatchObject({ kind: ErrorKind.DENIED });
  });

  test('once active, the tax id is locked; the same one again answers as before', async () => {
    const { account: first } = await post(cpf);
    expect((await post('52998224725')).account).toEqual(first);
    await expect(post(cnpj)).rejects.toMatchObject({ kind: ErrorKind.CONFLICT, code: 'TAX_ID_LOCKED' });
    for (const change of [
      { cpfCnpj: cnpj },
      { name: 'x' },
      { addressCity: 'x' },
      { status: 'PENDING' },
      { phone: '1', email: 'x' },
    ]) {
      await expect(put(change)).rejects.toMatchObject({ kind: ErrorKind.CONFLICT, code: 'TAX_ID_LOCKED' });
    }
    expect((await get()).account).toEqual(first);
  });

  test('contacts are changed, emptied and validated', async () => {
    await post(cpf);
    await put({ phone: '(11) 3003-3030', mobilePhone: '+55 11 98765-4321', additionalEmails: 'a@b.com, c@d.com' });
    const { account: changed } = await put({ phone: '' });
    expect(changed).toMatchObject({
      phone: undefined,
      mobilePhone: '+55 11 98765-4321',
      additionalEmails: 'a@b.com,c@d.com',
    });
    await expect(put({ phone: '12', mobilePhone: 'x', additionalEmails: 'nobody' })).rejects.toMatchObject({
      violations: [{ field: 'phone' }, { field: 'mobilePhone' }, { field: 'additionalEmails' }],
    });
    expect(told.at(-1)).toMatchObject({ accountId: account, mobilePhone: '+55 11 98765-4321' });
  });

  test('while the provider is away it is pending, may still be corrected, and is offered again', async () => {
    answer = 'away';
    expect((await post(cpf)).account).toMatchObject({ status: FinancialAccountStatus.PENDING });
    expect((await post(cnpj)).account).toMatchObject({ cpfCnpj: '11222333000181', personType: PersonType.JURIDICA });
    expect((await put({ company: 'Sabiá Ltda', status: 'ACTIVE' })).account).toMatchObject({
      status: FinancialAccountStatus.PENDING,
      company: 'Sabiá Ltda',
    });
    answer = 'accept';
    expect(await tellUntold(stage.collection)).toBe(0);
    time = new Date(time.getTime() + 61_000);
    await Promise.all([tellUntold(stage.collection), tellUntold(stage.collection)]);
    expect((await get()).account).toMatchObject({ status: FinancialAccountStatus.ACTIVE, company: 'Sabiá Ltda' });
    expect(told).toMatchObject([{ cpfCnpj: '11222333000181', name: 'Sabiá Ltda' }]);
  });

  test('what the provider refuses is told to the client and not tried again', async () => {
    answer = 'refuse';
    await expect(post(cpf)).rejects.toMatchObject({ violations: [{ field: 'cpfCnpj', code: 'refused' }] });
    expect((await get()).account).toMatchObject({ status: FinancialAccountStatus.PENDING });
    time = new Date(time.getTime() + 61_000);
    expect(await tellUntold(stage.collection)).toBe(0);
    answer = 'accept';
    expect((await post(cnpj)).account).toMatchObject({ status: FinancialAccountStatus.ACTIVE });
  });

  test('what identity knows of the account is shown where it says nothing itself', async () => {
    const facts = { id: '', version: 1, accountId: account, deliveryCount: 1 };
    const created = {
      ...facts,
      type: identityEvents.accountCreated.type,
      occurredAt: new Date('2026-03-01T00:00:00Z'),
      message: AccountCreated.fromPartial({ name: 'Old Ltda', email: 'old@x.com', phone: '+551130033030' }),
    };
    const updated = {
      ...facts,
      type: identityEvents.accountUpdated.type,
      occurredAt: new Date('2026-03-02T00:00:00Z'),
      message: AccountUpdated.fromPartial({ name: 'New Ltda', email: 'new@x.com', phone: '+551130033031' }),
    };
    // In the wrong order, and one of them twice.
    for (const event of [updated, created, updated]) {
      await stage.database.transaction((tx) => onAccountTold.handle(event, tx));
    }
    await post(cpf);
    await put({ phone: '1130033039' });
    expect((await get()).account).toMatchObject({ company: 'New Ltda', email: 'new@x.com', phone: '1130033039' });
  });
});
