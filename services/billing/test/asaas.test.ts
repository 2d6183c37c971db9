import { newEventId } from '@sabia/service-kit/events/outbox';
import { PassThrough } from 'node:stream';
import { ChargeStatus, FinancialAccountStatus, PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { createLogger } from '@sabia/service-kit/logging';
import { createAsaas } from '../src/payments/asaas';
import { createAsaasClient } from '../src/payments/asaas-client';
import type { AsaasClient } from '../src/payments/asaas-client';
import { performDueTasks } from '../src/payments/provider-tasks';
import { fakeAsaasKey, startFakeAsaas } from './fake-asaas';
import type { FakeAsaas, FakePayment } from './fake-asaas';
import { openStage } from './stage';
import type { RequestOf, Stage } from './stage';

const webhookToken = 'a-long-webhook-token';
const cpf = '529.982.247-25';

describe('Asaas', () => {
  let stage: Stage;
  let asaas: FakeAsaas;
  let time = new Date('2026-03-10T12:00:00Z');
  let account = 1;
  const logged: string[] = [];
  const destination = new PassThrough().on('data', (line: Buffer) => logged.push(line.toString()));
  const log = createLogger({ name: 'test', level: 'trace', destination });

  /** Long enough for a busy machine. */
  let hasty = false;
  const clientWith = (timeoutMs: number) =>
    createAsaasClient({ url: asaas.url, apiKey: fakeAsaasKey, timeoutMs, firstPauseMs: 1, log });

  beforeAll(async () => {
    asaas = await startFakeAsaas();
    const clients = { hasty: clientWith(300), patient: clientWith(60_000) };
    const client: AsaasClient = { send: (request) => clients[hasty ? 'hasty' : 'patient'].send(request) };
    stage = await openStage({ now: () => time, provider: createAsaas({ client, webhookToken, log }) });
    stage.collection.log = log;
  });

  beforeEach(async () => {
    account++;
    hasty = false;
    asaas.mishaps.length = 0;
    asaas.requests.length = 0;
  });

  afterAll(async () => {
    await stage.close();
    await asaas.close();
  });

  const activate = () => stage.call('createFinancialAccount', { cpfCnpj: cpf }, { accountId: account });
  const create = (wish: Partial<RequestOf<'createCharge'>> = {}) =>
    stage.call(
      'createCharge',
      { paymentMethod: PaymentMethod.PIX, dueDate: '2026-03-12', amount: 501_000, ...wish },
      { accountId: account },
    );
  const charges = async () => (await stage.call('listCharges', {}, { accountId: account })).data;
  const balance = async () => (await stage.call('getBalance', {}, { accountId: account })).balance;
  const payment = (): FakePayment =>
    [...asaas.payments.values()].filter(({ externalReference }) => externalReference !== null).at(-1)!;
  const deliver = (body: Buffer, token = webhookToken) =>
    stage.call('handlePaymentNotification', { provider: 'asaas', token, body });
  async function receive(status: string, event: string, id?: string): Promise<void> {
    payment().status = status;
    await deliver(asaas.webhook(event, payment().id, id));
  }

  test('a charge needs an active financial account', async () => {
    await expect(create()).rejects.toMatchObject({ kind: ErrorKind.UNPROCESSABLE, code: 'FINANCIAL_ACCOUNT_REQUIRED' });
    expect(asaas.requests).toEqual([]);
  });

  test('the customer is registered with the tax id, once, and kept up to date', async () => {
    expect((await activate()).account).toMatchObject({ status: FinancialAccountStatus.ACTIVE });
    await activate();
    await stage.call('updateFinancialAccount', { mobilePhone: '(11) 98765-4321' }, { accountId: account });
    const known = [...asaas.customers.values()].filter(
      ({ externalReference }) => externalReference === `account-${account}`,
    );
    expect(known).toMatchObject([{ cpfCnpj: '52998224725', mobilePhone: '11987654321', name: `Account ${account}` }]);
  });

  test('a tax id that Asaas refuses', async () => {
    const attempt = stage.call('createFinancialAccount', { cpfCnpj: '11222333000181' }, { accountId: account });
    await expect(attempt).rejects.toMatchObject({ violations: [{ field: 'cpfCnpj', code: 'refused' }] });
  });

  test.each([
    [PaymentMethod.PIX, 'PIX', /^000201/],
    [PaymentMethod.BOLETO, 'BOLETO', /^\d{47}$/],
    [PaymentMethod.CREDIT_CARD, 'CREDIT_CARD', undefined],
    [PaymentMethod.DEBIT_CARD, 'UNDEFINED', undefined],
    [PaymentMethod.UNDEFINED, 'UNDEFINED', undefined],
  ])('method %s is asked for as %s', async (paymentMethod, billingType, code) => {
    await activate();
    const { id } = await create({ paymentMethod, description: 'Crédito' });
    expect(payment()).toMatchObject({
      billingType,
      value: 50.1,
      dueDate: '2026-03-12',
      description: 'Crédito',
      externalReference: `charge-${id}`,
    });
    const [charge] = await charges();
    expect(charge).toMatchObject({
      gateway: 'asaas',
      paymentId: payment().id,
      paymentLink: payment().invoiceUrl,
      invoiceId: payment().invoiceNumber,
      paymentCode: code === undefined ? undefined : expect.stringMatching(code),
    });
  });

  test('what Asaas refuses is a 422 with its words, and the place is free again', async () => {
    await activate();
    const known = [...asaas.customers.values()].find(
      ({ externalReference }) => externalReference === `account-${account}`,
    )!;
    asaas.customers.delete(known.id);
    await expect(create()).rejects.toMatchObject({
      kind: ErrorKind.UNPROCESSABLE,
      code: 'PAYMENT_REFUSED',
      message: expect.stringContaining('Customer inválido'),
    });
    asaas.customers.set(known.id, known);
    await create();
    expect(await charges()).toHaveLength(1);
  });

  test.each(['lost answer', 'error after', 'refused', 429, 503] as const)(
    'after "%s" the payment exists once',
    async (mishap) => {
      await activate();
      asaas.mishaps.push(mishap);
      const { id } = await create({ paymentMethod: PaymentMethod.UNDEFINED });
      const made = [...asaas.payments.values()].filter(({ externalReference }) => externalReference === `charge-${id}`);
      expect(made).toHaveLength(1);
      expect((await charges())[0]).toMatchObject({ paymentId: made[0]!.id });
    },
  );

  test('while Asaas is away: 503, the place is free again, and what it may have taken is withdrawn', async () => {
    await activate();
    // Taken, but we never hear of it: every answer is lost, and so is every question about it.
    asaas.mishaps.push('lost answer', 503, 503, 503);
    await expect(create()).rejects.toMatchObject({
      kind: ErrorKind.UNAVAILABLE,
      retryAfterSeconds: expect.any(Number),
    });
    const orphan = payment();
    expect(orphan.deleted).toBe(false);
    expect(await charges()).toEqual([]);
    await create();
    expect(await performDueTasks(stage.collection)).toBe(0);
    time = new Date(time.getTime() + 31_000);
    await Promise.all([performDueTasks(stage.collection), performDueTasks(stage.collection)]);
    expect(orphan.deleted).toBe(true);
    expect(await performDueTasks(stage.collection)).toBe(0);
    expect(await charges()).toHaveLength(1);
  });

  test('a server that does not answer is given up after the time limit', async () => {
    await activate();
    asaas.mishaps.push('hang', 'hang', 'hang', 'hang', 'hang', 'hang');
    hasty = true;
    await expect(create()).rejects.toMatchObject({ kind: ErrorKind.UNAVAILABLE });
  });

  test('a process that died in the middle leaves nothing open', async () => {
    await activate();
    await stage.database.query(
      `INSERT INTO charges (account_id, user_id, gateway, type, payment_method, due_date, amount, total_amount, description, status,
                            status_updated_at, created_at, metadata, page_token, provider_task, provider_try_at)
       VALUES ($1, 1, 'asaas', 'CREDIT', 'PIX', '2026-03-12', 10, 10, '', 'PENDING', $2, $2, '{}', $3, 'create', $2)`,
      [account, time, `died-${account}`],
    );
    await expect(create()).rejects.toMatchObject({ code: 'OPEN_CHARGE_EXISTS' });
    await performDueTasks(stage.collection);
    await performDueTasks(stage.collection);
    await create();
    const rows = await stage.database.query('SELECT FROM charges WHERE account_id = $1 AND provider_task IS NOT NULL', [
      account,
    ]);
    expect(rows).toEqual([]);
  });

  test('cancelling removes the payment; one that was paid meanwhile cannot be cancelled', async () => {
    await activate();
    const first = await create();
    asaas.mishaps.push('lost answer');
    await stage.call('cancelCharge', { id: String(first.id) }, { accountId: account });
    expect(payment().deleted).toBe(true);
    await deliver(asaas.webhook('PAYMENT_DELETED', payment().id));

    const second = await create();
    payment().status = 'RECEIVED';
    await expect(stage.call('cancelCharge', { id: String(second.id) }, { accountId: account })).rejects.toMatchObject({
      code: 'CHARGE_NOT_CANCELLABLE',
    });
    await deliver(asaas.webhook('PAYMENT_RECEIVED', payment().id));
    expect(await balance()).toBe(501_000);
    expect((await charges()).map(({ status }) => status)).toEqual([ChargeStatus.RECEIVED, ChargeStatus.CANCELLED]);
  });

  test('webhooks: repeated, out of order, unknown and of no interest', async () => {
    await activate();
    await create({ paymentMethod: PaymentMethod.CREDIT_CARD });
    await deliver(asaas.webhook('PAYMENT_CREATED', payment().id));
    await Promise.all(Array.from({ length: 5 }, () => receive('RECEIVED', 'PAYMENT_RECEIVED', 'evt_same')));
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    await receive('CONFIRMED', 'PAYMENT_CONFIRMED');
    await receive('OVERDUE', 'PAYMENT_OVERDUE');
    await deliver(Buffer.from('{"id":"evt_x","event":"PAYMENT_RECEIVED","payment":{"id":"pay_of_others"}}'));
    await deliver(Buffer.from('{"id":"evt_y","event":"INVOICE_CREATED","invoice":{}}'));
    expect(await balance()).toBe(501_000);
    expect((await charges())[0]!.status).toBe(ChargeStatus.RECEIVED);
  });

  const entries = async () => (await stage.call('getStatement', {}, { accountId: account })).data;

  test('R$ 1.00 that arrives for a charge of R$ 50.10 is credit of R$ 1.00, and the charge shows it', async () => {
    await activate();
    await create();
    payment().value = 1;
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    expect(await balance()).toBe(10_000);
    expect((await charges())[0]).toMatchObject({ amount: 501_000, paidAmount: 10_000, status: ChargeStatus.RECEIVED });
    expect(await entries()).toMatchObject([
      { kind: 'topup', amount: 10_000, description: expect.stringContaining('1.00 arrived instead of 50.10') },
    ]);
  });

  test('more than the charge that arrives with the money itself, after another amount was announced, is all booked', async () => {
    await activate();
    await create({ paymentMethod: PaymentMethod.CREDIT_CARD });
    payment().value = 40;
    await receive('CONFIRMED', 'PAYMENT_CONFIRMED');
    expect(await balance()).toBe(400_000);
    payment().value = 60.25;
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    expect(await balance()).toBe(602_500);
    expect((await charges())[0]).toMatchObject({ paidAmount: 602_500 });
  });

  test.each([null, 'a lot', '1.000,00', -5, 0, 1.005, 1e21, [1], undefined])(
    'a payment of %j is not booked, and is logged for an operator',
    async (value) => {
      await activate();
      await create();
      logged.length = 0;
      payment().value = value as number;
      await receive('RECEIVED', 'PAYMENT_RECEIVED');
      expect(await balance()).toBe(0);
      expect((await charges())[0]!.status).toBe(ChargeStatus.PENDING);
      expect(logged.join('')).toContain('does not say how much');
      payment().value = 50.1;
      await receive('RECEIVED', 'PAYMENT_RECEIVED');
      expect(await balance()).toBe(501_000);
    },
  );

  test.each([['50.10'], [50.1], ['50.1'], [50.100000000000001]])('%j is read exactly', async (value) => {
    await activate();
    await create();
    payment().value = value as number;
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    expect(await balance()).toBe(501_000);
  });

  test('partial refunds debit what was given back, each once and in any order, until all of it is', async () => {
    await activate();
    await create();
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    const first = { dateCreated: '2026-03-10 13:00:00', status: 'DONE', value: 10.01 };
    const second = { dateCreated: '2026-03-10 14:00:00', status: 'DONE', value: 20 };
    const denied = { dateCreated: '2026-03-10 13:30:00', status: 'CANCELLED', value: 5 };
    Object.assign(payment(), { refunds: [first, denied] });
    const early = asaas.webhook('PAYMENT_PARTIALLY_REFUNDED', payment().id);
    Object.assign(payment(), { refunds: [first, denied, second] });
    const late = asaas.webhook('PAYMENT_PARTIALLY_REFUNDED', payment().id);
    await Promise.all([deliver(late), deliver(late), deliver(early)]);
    expect(await balance()).toBe(501_000 - 300_100);
    expect((await charges())[0]).toMatchObject({ status: ChargeStatus.RECEIVED, refundedAmount: 300_100 });
    await receive('REFUNDED', 'PAYMENT_REFUNDED');
    await deliver(late);
    expect(await balance()).toBe(0);
    expect((await charges())[0]).toMatchObject({ status: ChargeStatus.REFUNDED, refundedAmount: 501_000 });
  });

  test('a chargeback takes the money at once, also below zero, and gives it back when the dispute is won', async () => {
    await activate();
    await create({ paymentMethod: PaymentMethod.CREDIT_CARD });
    await receive('CONFIRMED', 'PAYMENT_CONFIRMED');
    await stage.setPrice('10.00');
    const callId = newEventId();
    const to = { accountId: account, destination: '5511987654321' };
    await stage.call('reserveCredit', { callId, ...to });
    const { price } = await stage.call('settleReservation', { callId, durationSeconds: 30 });
    await receive('CHARGEBACK_REQUESTED', 'PAYMENT_CHARGEBACK_REQUESTED');
    await receive('CHARGEBACK_DISPUTE', 'PAYMENT_CHARGEBACK_DISPUTE');
    // A notification from before, that comes late.
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    expect(price).toBe(50_000);
    expect(await balance()).toBe(-price);
    expect((await charges())[0]).toMatchObject({ refundedAmount: 501_000, chargebackAt: time });
    const refused = stage.call('reserveCredit', { callId: newEventId(), ...to });
    await expect(refused).rejects.toMatchObject({
      kind: ErrorKind.INSUFFICIENT_CREDIT,
      message: expect.stringContaining('R$ 5.00 below zero'),
    });
    expect(await stage.events(account)).toEqual(
      expect.arrayContaining(['billing.charge.chargedback', 'billing.credit.exhausted']),
    );
    await receive('AWAITING_CHARGEBACK_REVERSAL', 'PAYMENT_AWAITING_CHARGEBACK_REVERSAL');
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    await receive('CHARGEBACK_REQUESTED', 'PAYMENT_CHARGEBACK_REQUESTED');
    expect(await balance()).toBe(501_000 - price);
    expect((await charges())[0]).toMatchObject({ status: ChargeStatus.RECEIVED, refundedAmount: undefined });
  });

  test('a webhook that overtakes the answer to our own request finds the charge by our reference', async () => {
    await activate();
    const { id } = await create();
    await stage.database.query(
      `UPDATE charges SET payment_id = NULL, provider_task = 'create', provider_try_at = now() WHERE id = $1`,
      [id],
    );
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    expect(await balance()).toBe(501_000);
    // Nor does it matter that the process of our own request is gone for good.
    time = new Date(Date.now() + 1_000);
    await performDueTasks(stage.collection);
    expect(await charges()).toMatchObject([{ id, status: ChargeStatus.RECEIVED, paymentId: payment().id }]);
    expect(payment().deleted).toBe(false);
    time = new Date('2026-03-10T13:00:00Z');
  });

  test('webhooks without the token, malformed ones and ones of an unknown provider', async () => {
    const body = Buffer.from('{"event":"PAYMENT_RECEIVED"}');
    await expect(deliver(body, 'wrong')).rejects.toMatchObject({ kind: ErrorKind.UNAUTHENTICATED });
    await expect(deliver(body, '')).rejects.toMatchObject({ kind: ErrorKind.UNAUTHENTICATED });
    await expect(deliver(Buffer.from('{'))).rejects.toMatchObject({ code: 'INVALID_JSON' });
    await expect(deliver(Buffer.from('[]'))).rejects.toMatchObject({ code: 'INVALID_NOTIFICATION' });
    await expect(deliver(Buffer.from([0xff, 0xfe]))).rejects.toMatchObject({ code: 'INVALID_JSON' });
    const elsewhere = stage.call('handlePaymentNotification', { provider: 'nobody', token: webhookToken, body });
    await expect(elsewhere).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    const sandbox = stage.call('handlePaymentNotification', { provider: 'sandbox', token: webhookToken, body });
    await expect(sandbox).rejects.toMatchObject({ kind: ErrorKind.BAD_REQUEST });
  });

  test('a refund takes the credit and reaches Asaas once, also when Asaas is away at first', async () => {
    await activate();
    const { id } = await create();
    await receive('RECEIVED', 'PAYMENT_RECEIVED');
    asaas.mishaps.push(503, 503, 503);
    const { charge } = await stage.call('refundCharge', { accountId: account, chargeId: id });
    expect(charge?.status).toBe(ChargeStatus.REFUNDED);
    expect(await balance()).toBe(0);
    expect(payment().status).toBe('RECEIVED');
    time = new Date(time.getTime() + 61_000);
    await performDueTasks(stage.collection);
    expect(payment().status).toBe('REFUNDED');
    await receive('REFUNDED', 'PAYMENT_REFUNDED');
    expect(await balance()).toBe(0);
    expect(await performDueTasks(stage.collection)).toBe(0);
    expect(asaas.requests.filter((request) => request.endsWith('/refund'))).toHaveLength(1);
  });

  test('a wrong key is our trouble, not the customer’s', async () => {
    const client = createAsaasClient({ url: asaas.url, apiKey: 'wrong', timeoutMs: 60_000, log: stage.collection.log });
    const provider = createAsaas({ client, webhookToken, log: stage.collection.log });
    await expect(provider.registerCustomer({ accountId: 1, cpfCnpj: '52998224725', name: 'x' })).rejects.toMatchObject({
      kind: ErrorKind.UNAVAILABLE,
    });
  });

  test('neither tax id nor key nor token was ever logged', () => {
    expect(logged.length).toBeGreaterThan(0);
    const all = logged.join('');
    for (const secret of ['52998224725', '529.982.247-25', '11222333000181', fakeAsaasKey, webhookToken]) {
      expect(all).not.toContain(secret);
    }
  });
});
