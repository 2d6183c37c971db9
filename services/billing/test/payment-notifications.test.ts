import { randomUUID } from 'node:crypto';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import type { PaymentNotification } from '../src/payments/port';
import { ChargeDesk } from './charge-desk';

describe('payment notifications', () => {
  const desk = new ChargeDesk();

  beforeAll(() => desk.open());
  beforeEach(() => desk.nextAccount());
  afterAll(() => desk.close());

  test('cancelling and paying at the same moment: one of them wins, and the credit agrees', async () => {
    for (let round = 0; round < 10; round++) {
      desk.account += 1;
      const { id } = await desk.create();
      await Promise.allSettled([desk.cancel(id), desk.notify(id, 'received')]);
      const { data } = await desk.list();
      expect([ChargeStatus.CANCELLED, ChargeStatus.RECEIVED]).toContain(data[0]!.status);
      expect(await desk.balance()).toBe(data[0]!.status === ChargeStatus.RECEIVED ? 100_000 : 0);
    }
  });

  test('notifications in any order and any number credit once', async () => {
    const orders: PaymentNotification['event'][][] = [
      ['confirmed', 'received'],
      ['received', 'confirmed', 'overdue', 'cancelled'],
      ['overdue', 'received', 'received'],
      ['overdue', 'confirmed', 'confirmed', 'received'],
    ];
    for (const order of orders) {
      desk.account++;
      const { id } = await desk.create();
      for (const event of order) {
        const notification = randomUUID();
        await Promise.all([
          desk.notify(id, event, notification),
          desk.notify(id, event, notification),
          desk.notify(id, event),
        ]);
      }
      expect((await desk.list()).data[0]!.status).toBe(ChargeStatus.RECEIVED);
      expect(await desk.balance()).toBe(100_000);
    }
    const { data } = await desk.list();
    expect(data[0]).toMatchObject({ paidAt: desk.time, receivedAt: desk.time, refundedAt: undefined });
  });

  test('many notifications of many kinds at the same moment credit once', async () => {
    const { id } = await desk.create();
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => desk.notify(id, (['confirmed', 'received', 'overdue'] as const)[n % 3]!)),
    );
    expect(await desk.balance()).toBe(100_000);
    const { data } = await desk.stage.call('getStatement', {}, { accountId: desk.account });
    expect(data).toMatchObject([{ kind: 'topup', amount: 100_000, balance: 100_000, chargeId: id }]);
  });

  test('a refund heard of before the payment: nothing is ever credited', async () => {
    const { id } = await desk.create();
    await desk.notify(id, 'refunded');
    await desk.notify(id, 'received');
    expect((await desk.list()).data[0]!.status).toBe(ChargeStatus.REFUNDED);
    expect(await desk.balance()).toBe(0);
  });

  test('a payment of a cancelled charge and of no charge change nothing and are kept for a person to see', async () => {
    const { id } = await desk.create();
    const since = new Date(desk.time.getTime() + 1);
    desk.time = since;
    await desk.cancel(id);
    expect(await desk.notify(id, 'received')).toBe('stray');
    expect(await desk.notify(987_654, 'received')).toBe('unknown');
    expect(await desk.balance()).toBe(0);
    const rows = await desk.stage.database.query(
      'SELECT charge_id, outcome FROM payment_notifications WHERE received_at = $1 ORDER BY outcome',
      [since],
    );
    expect(rows).toEqual([
      { charge_id: id, outcome: 'stray' },
      { charge_id: null, outcome: 'unknown' },
    ]);
  });

  describe('refunds', () => {
    const refund = (chargeId: number, accountId = desk.account) =>
      desk.stage.call('refundCharge', { accountId, chargeId });

    test('take back the credit, once', async () => {
      const { id } = await desk.create();
      await expect(refund(id)).rejects.toMatchObject({ code: 'CHARGE_NOT_REFUNDABLE' });
      await desk.notify(id, 'received');
      await expect(refund(id, desk.account + 500)).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
      const answers = await Promise.all([refund(id), refund(id), refund(id)]);
      expect(answers.map(({ charge }) => charge?.status)).toEqual(Array(3).fill(ChargeStatus.REFUNDED));
      await desk.notify(id, 'refunded');
      expect(await desk.balance()).toBe(0);
      expect((await desk.list()).data[0]).toMatchObject({ refundedAt: desk.time });
      expect(await desk.events()).toEqual([
        'billing.charge.created',
        'billing.charge.received',
        'billing.charge.refunded',
        'billing.credit.exhausted',
      ]);
    });

    test('that we are asked for are refused when the credit has been used', async () => {
      const { id } = await desk.create();
      await desk.notify(id, 'received');
      await desk.stage.setPrice('1.00');
      const callId = randomUUID();
      await desk.stage.call('reserveCredit', { callId, accountId: desk.account, destination: '5511987654321' });
      // Held by a live call is as good as used.
      await expect(refund(id)).rejects.toMatchObject({ code: 'REFUND_EXCEEDS_CREDIT' });
      expect((await desk.list()).data[0]!.status).toBe(ChargeStatus.RECEIVED);
      await desk.stage.call('releaseReservation', { callId });
      await refund(id);
      expect(await desk.balance()).toBe(0);
    });

    test('that the provider made take what is there, and the rest is booked as a loss', async () => {
      const { id } = await desk.create();
      await desk.notify(id, 'received');
      await desk.stage.setPrice('1.00');
      const callId = randomUUID();
      await desk.stage.call('reserveCredit', { callId, accountId: desk.account, destination: '5511987654321' });
      await desk.stage.call('settleReservation', { callId, durationSeconds: 60 });
      const held = randomUUID();
      await desk.stage.call('reserveCredit', { callId: held, accountId: desk.account, destination: '5511987654321' });
      await desk.notify(id, 'refunded');
      expect(await desk.stage.call('getBalance', {}, { accountId: desk.account })).toMatchObject({
        balance: 5_000,
        reserved: 5_000,
        available: 0,
      });
      const books = await desk.stage.database.query(
        'SELECT book, sum(amount) AS sum FROM ledger_entries WHERE account_id = $1 GROUP BY book ORDER BY book',
        [desk.account],
      );
      expect(books).toEqual([
        { book: 'calls', sum: '1.0000' },
        { book: 'credit', sum: '0.5000' },
        { book: 'losses', sum: '-1.5000' },
        { book: 'payments', sum: '0.0000' },
      ]);
    });

    test('of credit that is all gone leave the account untouched', async () => {
      const { id } = await desk.create();
      await desk.notify(id, 'received');
      await desk.stage.setPrice('1.00');
      const callId = randomUUID();
      await desk.stage.call('reserveCredit', { callId, accountId: desk.account, destination: '5511987654321' });
      await desk.stage.call('settleReservation', { callId, durationSeconds: 3_600 });
      await desk.notify(id, 'refunded');
      expect(await desk.balance()).toBe(0);
      expect((await desk.stage.call('getStatement', {}, { accountId: desk.account })).meta).toMatchObject({
        totalItemCount: 2,
      });
    });
  });
});
