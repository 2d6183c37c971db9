import { Role } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ChargeStatus, PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { passDueCharges } from '../src/payments/overdue';
import { ChargeDesk, evening } from './charge-desk';

describe('charges', () => {
  const desk = new ChargeDesk();

  beforeAll(() => desk.open());
  beforeEach(() => desk.nextAccount());
  afterAll(() => desk.close());

  test('the answer has the fields of the interface', async () => {
    const charge = await desk.create({ description: 'Crédito', metadata: '{"b":1,"a":{"x":[1.0]}}' });
    expect(charge).toEqual({
      id: expect.any(Number),
      userId: 11,
      organizationId: desk.account,
      gateway: 'sandbox',
      type: 'CREDIT',
      paymentMethod: PaymentMethod.PIX,
      paymentId: `sandbox_${charge.id}`,
      paymentLink: expect.stringMatching(/^http:\/\/sabia\.test\/pay\/[\w-]{22}$/),
      dueDate: new Date('2026-03-12T00:00:00-03:00'),
      amount: 100_000,
      totalAmount: 100_000,
      description: 'Crédito',
      status: ChargeStatus.PENDING,
      statusUpdatedAt: evening,
      createdAt: evening,
      metadata: '{"b":1,"a":{"x":[1.0]}}',
    });
    expect((await desk.list()).data[0]).toMatchObject({
      ...charge,
      taxAmount: 0,
      hasErpInvoice: false,
      paidAt: undefined,
      paymentCode: expect.stringMatching(/^000201/),
      pixCode: expect.stringMatching(/^000201/),
    });
    expect(await desk.events()).toEqual(['billing.charge.created']);
  });

  test.each([
    ['5.00', 50_000, 'range'],
    ['5.01', 50_100, undefined],
    ['5.001', 50_010, 'format'],
    ['49999.99', 499_999_900, undefined],
    ['50000', 500_000_000, 'range'],
    ['1e9', 10_000_000_000_000, 'range'],
    ['none', undefined, 'presence'],
  ])('amount %s', async (_name, amount, code) => {
    const attempt = desk.create({ amount });
    if (code === undefined) {
      expect(await attempt).toMatchObject({ amount });
    } else {
      await expect(attempt).rejects.toMatchObject({
        kind: ErrorKind.VALIDATION,
        code: 'VALIDATION_ERROR',
        context: 'charge',
        violations: [{ field: 'amount', code }],
      });
      expect((await desk.list()).data).toEqual([]);
    }
  });

  test.each([
    ['today', '2026-03-09', 'range'],
    ['tomorrow', '2026-03-10', undefined],
    ['in 7 days', '2026-03-16', undefined],
    ['in 8 days', '2026-03-17', 'range'],
    ['no such day', '2026-02-30', 'format'],
    ['wrong format', '12/03/2026', 'format'],
    ['a moment', '2026-03-12T10:00:00Z', 'format'],
    ['none', undefined, 'presence'],
  ])('due date %s', async (_name, dueDate, code) => {
    const attempt = desk.create({ dueDate });
    if (code === undefined) {
      expect((await attempt).dueDate).toEqual(new Date(`${dueDate}T00:00:00-03:00`));
    } else {
      await expect(attempt).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        violations: [{ field: 'dueDate', code }],
      });
    }
  });

  test('midnight is that of São Paulo', async () => {
    desk.time = new Date('2026-03-10T02:59:59.999Z');
    await expect(desk.create({ dueDate: '2026-03-10' })).resolves.toMatchObject({ status: ChargeStatus.PENDING });
    desk.account++;
    desk.time = new Date('2026-03-10T03:00:00.000Z');
    await expect(desk.create({ dueDate: '2026-03-10' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(desk.create({ dueDate: '2026-03-17' })).resolves.toMatchObject({ status: ChargeStatus.PENDING });
  });

  test('a method that is none', async () => {
    await expect(desk.create({ paymentMethod: PaymentMethod.UNSPECIFIED })).rejects.toMatchObject({
      violations: [{ field: 'paymentMethod', code: 'inclusion' }],
    });
    expect(await desk.create({ paymentMethod: undefined })).toMatchObject({ paymentMethod: PaymentMethod.UNDEFINED });
  });

  test('of fifty at once exactly one is made', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => desk.create()));
    const made = results.filter(({ status }) => status === 'fulfilled');
    const refused = results.filter((result) => result.status === 'rejected');
    expect(made).toHaveLength(1);
    expect(refused).toHaveLength(49);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ kind: ErrorKind.CONFLICT, code: 'OPEN_CHARGE_EXISTS' });
    }
    expect((await desk.list()).meta).toMatchObject({ totalItemCount: 1 });
    expect(await desk.events()).toEqual(['billing.charge.created']);
  });

  test('PENDING and OVERDUE stand in the way of another charge, the other states do not', async () => {
    const { id } = await desk.create({ dueDate: '2026-03-10' });
    desk.time = new Date('2026-03-11T12:00:00Z');
    await passDueCharges(desk.stage.collection);
    await expect(desk.create()).rejects.toMatchObject({ code: 'OPEN_CHARGE_EXISTS' });
    await desk.cancel(id);
    const second = await desk.create();
    await desk.notify(second.id, 'received');
    const third = await desk.create();
    await desk.notify(third.id, 'confirmed');
    await desk.create();
  });

  test('cancelling: open charges only, and of the own account only', async () => {
    const { id } = await desk.create();
    await expect(desk.cancel(id, desk.account + 500)).rejects.toMatchObject({
      kind: ErrorKind.NOT_FOUND,
      code: 'MODEL_NOT_FOUND',
    });
    await expect(desk.cancel('999999999')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await expect(desk.cancel('abc')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await expect(desk.cancel('99999999999999999999')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    const { charge } = await desk.cancel(id);
    expect(charge).toMatchObject({ id, status: ChargeStatus.CANCELLED });
    await expect(desk.cancel(id)).rejects.toMatchObject({ kind: ErrorKind.CONFLICT, code: 'CHARGE_NOT_CANCELLABLE' });
    expect(await desk.events()).toEqual(['billing.charge.created', 'billing.charge.cancelled']);
  });

  test('two replicas pass the due day of each charge once', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 40; n++) {
      desk.account++;
      ids.push((await desk.create({ dueDate: n % 2 === 0 ? '2026-03-10' : '2026-03-12' })).id);
    }
    desk.time = new Date('2026-03-11T02:59:59Z');
    expect(await passDueCharges(desk.stage.collection)).toBe(0);
    desk.time = new Date('2026-03-11T03:00:00Z');
    const passed = await Promise.all(Array.from({ length: 6 }, () => passDueCharges(desk.stage.collection)));
    expect(passed.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(20);
    const rows = await desk.stage.database.query<{ status: string; count: number; events: number }>(
      `SELECT status, count(*) AS count,
              (SELECT count(*) FROM outbox WHERE type = 'billing.charge.overdue' AND account_id BETWEEN $2 AND $3) AS events
       FROM charges WHERE id = ANY ($1) GROUP BY status ORDER BY status`,
      [ids, desk.account - 39, desk.account],
    );
    expect(rows).toEqual([
      { status: 'OVERDUE', count: 20, events: 20 },
      { status: 'PENDING', count: 20, events: 20 },
    ]);
  });

  test('listing: newest first, pages, filters, and only the own ones', async () => {
    const ids: number[] = [];
    for (const amount of [100_000, 200_000, 300_000]) {
      const { id } = await desk.create({ amount, metadata: JSON.stringify({ order: amount / 10_000, tag: 'x' }) });
      ids.unshift(id);
      await desk.cancel(id);
    }
    await desk.create({ paymentMethod: PaymentMethod.BOLETO });
    expect((await desk.list()).data.slice(1).map(({ id }) => id)).toEqual(ids);
    expect(await desk.list({ limit: 2 }, 2)).toMatchObject({
      data: [{ id: ids[1] }, { id: ids[2] }],
      meta: {
        totalItemCount: 4,
        totalPageCount: 2,
        itemsPerPage: 2,
        currentPage: 2,
        nextPage: undefined,
        previousPage: 1,
      },
    });
    const found = async (where: object) => (await desk.list({ where })).data.map(({ id }) => id);
    expect(await found({ status: 'CANCELLED' })).toEqual(ids);
    expect(await found({ amount: { gte: 20 }, status: { neq: 'PENDING' } })).toEqual(ids.slice(0, 2));
    expect(await found({ 'metadata.order': 20 })).toEqual([ids[1]]);
    expect(await found({ metadata: { tag: 'x' } })).toEqual(ids);
    expect(await found({ dueDate: '2026-03-12' })).toHaveLength(4);
    expect(await found({ paymentMethod: 'BOLETO' })).toHaveLength(1);
    expect(await found({ paidAt: null })).toHaveLength(4);
    expect((await desk.list({}, 1, desk.account + 500)).data).toEqual([]);
    await expect(desk.list({ where: { pageToken: 'x' } })).rejects.toMatchObject({ code: 'INVALID_FILTER' });
    await expect(desk.list({}, 0)).rejects.toMatchObject({ code: 'INVALID_PAGE' });
    expect((await desk.list({}, 9)).data).toEqual([]);
  });

  test('a USER may do all of this too', async () => {
    const user = { accountId: desk.account, role: Role.USER };
    const { id } = await desk.stage.call('createCharge', { dueDate: '2026-03-12', amount: 100_000 }, user);
    expect((await desk.stage.call('listCharges', {}, user)).data).toHaveLength(1);
    await desk.stage.call('cancelCharge', { id: String(id) }, user);
  });
});
