import { randomUUID } from 'node:crypto';
import { newEventId } from '@sabia/service-kit/events/outbox';
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

  test('payments of a cancelled and of an unknown charge change nothing and are kept for an operator', async () => {
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
      const callId = newEventId();
      await desk.stage.call('reserveCredit', { callId, accountId: desk.account, destination: '5511987654321' });
      // Held by a live call is as good as used.
      await expect(refund(id)).rejects.toMatchObject({ code: 'REFUND_EXCEEDS_CREDIT' });
      expect((await desk.list()).data[0]!.status).toBe(ChargeStatus.RECEIVED);
      await desk.stage.call('releaseReservation', { callId });
      await refund(id);
      expect(await desk.balance()).toBe(0);
    });

    const to = () => ({ accountId: desk.account, destination: '5511987654321' });
    const reserve = async () => {
      const callId = newEventId();
      await desk.stage.call('reserveCredit', { callId, ...to() });
      return callId;
    };

    test('that the provider made take all of it, below zero and under live calls, which are paid but not extended', async () => {
      const { id } = await desk.create();
      await desk.notify(id, 'received');
      await desk.stage.setPrice('1.00');
      await desk.stage.call('settleReservation', { callId: await reserve(), durationSeconds: 30 });
      const live = await reserve();
      const { reserved, seconds } = await desk.stage.call('extendReservation', { callId: live, seconds: 36 });
      await desk.notify(id, 'refunded');
      expect(await desk.stage.call('getBalance', {}, { accountId: desk.account })).toMatchObject({
        balance: -5_000,
        reserved,
        available: -5_000 - reserved,
      });
      await expect(reserve()).rejects.toMatchObject({ message: expect.stringContaining('R$ 0.50 below zero') });
      expect(await desk.stage.call('extendReservation', { callId: live, seconds: 600 })).toMatchObject({
        seconds,
        exhausted: true,
      });
      await desk.stage.call('settleReservation', { callId: live, durationSeconds: 600 });
      expect(await desk.balance()).toBe(-5_000 - reserved);
      expect(await desk.events()).toEqual(
        expect.arrayContaining(['billing.charge.refunded', 'billing.credit.exhausted']),
      );
      // What comes in pays the debt first.
      const next = await desk.create();
      await desk.notify(next.id, 'received');
      expect(await desk.balance()).toBe(100_000 - 5_000 - reserved);
      await reserve();
    });

    test('a free destination is no way around the debt', async () => {
      const { id } = await desk.create();
      await desk.notify(id, 'received');
      await desk.stage.setPrice('1.00');
      await desk.stage.call('settleReservation', { callId: await reserve(), durationSeconds: 30 });
      await desk.notify(id, 'refunded');
      await desk.stage.setPrice('0.00');
      await expect(reserve()).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
    });
  });

  test('the sandbox plays the bank: another amount, parts and chargebacks, each notification once', async () => {
    const { id: chargeId } = await desk.create();
    const say = (id: string, news: object) =>
      desk.stage.call('handlePaymentNotification', {
        provider: 'sandbox',
        body: Buffer.from(JSON.stringify({ id: `${chargeId}:${id}`, chargeId, ...news })),
      });
    const chargedBack = { event: 'charged back', amount: 40_000 };
    await say('1', { event: 'received', amount: 40_000 });
    await Promise.all([1, 2, 3].map(() => say('2', { event: 'partially refunded', amount: 40_000, refunded: 10_000 })));
    expect(await desk.balance()).toBe(30_000);
    await Promise.all(['3', '3', '4', '5'].map((id) => say(id, chargedBack)));
    expect(await desk.balance()).toBe(0);
    expect((await desk.list()).data[0]).toMatchObject({ paidAmount: 40_000, refundedAmount: 40_000 });
    const { data } = await desk.stage.call('getStatement', {}, { accountId: desk.account });
    expect(data.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      'chargeback -30000',
      'refund -10000',
      'topup 40000',
    ]);
    await expect(say('6', { event: 'stolen' })).rejects.toMatchObject({ code: 'INVALID_NOTIFICATION' });
    desk.stage.collection.allowSandbox = false;
    try {
      await expect(say('7', { event: 'received', amount: 1 })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    } finally {
      desk.stage.collection.allowSandbox = true;
    }
  });
});
