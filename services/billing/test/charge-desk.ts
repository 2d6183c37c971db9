import { randomUUID } from 'node:crypto';
import { PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { applyNotification } from '../src/payments/notifications';
import type { NotificationOutcome } from '../src/payments/notifications';
import type { PaymentNotification } from '../src/payments/port';
import { openStage } from './stage';
import type { RequestOf, ResponseOf, Stage } from './stage';

/** Ten in the evening of 9 March in São Paulo, already the 10th in Greenwich. */
export const evening = new Date('2026-03-10T01:00:00Z');

/** Charges of one account after the other, at whatever time it is. */
export class ChargeDesk {
  account = 1_000;
  time = evening;
  stage!: Stage;

  async open(): Promise<void> {
    this.stage = await openStage({ now: () => this.time, poolSize: 20 });
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  nextAccount(): void {
    this.account++;
    this.time = evening;
  }

  create(wish: Partial<RequestOf<'createCharge'>> = {}): Promise<ResponseOf<'createCharge'>> {
    const usual = { paymentMethod: PaymentMethod.PIX, dueDate: '2026-03-12', amount: 100_000 };
    return this.stage.call('createCharge', { ...usual, ...wish }, { accountId: this.account });
  }

  cancel(id: number | string, accountId = this.account): Promise<ResponseOf<'cancelCharge'>> {
    return this.stage.call('cancelCharge', { id: String(id) }, { accountId });
  }

  list(filter?: object, page?: number, accountId = this.account): Promise<ResponseOf<'listCharges'>> {
    return this.stage.call('listCharges', { page, filter: filter && JSON.stringify(filter) }, { accountId });
  }

  notify(
    chargeId: number,
    event: PaymentNotification['event'],
    id: string = randomUUID(),
    sums: Pick<PaymentNotification, 'amount' | 'refunded'> = { amount: 100_000 },
  ): Promise<NotificationOutcome> {
    const paymentId = `sandbox_${chargeId}`;
    return applyNotification(this.stage.collection, 'sandbox', { id, paymentId, event, ...sums });
  }

  async balance(): Promise<number> {
    return (await this.stage.call('getBalance', {}, { accountId: this.account })).balance;
  }

  events(): Promise<string[]> {
    return this.stage.events(this.account);
  }

  /** The secret part of the payment link. */
  async tokenOf(id: number): Promise<string> {
    const { data } = await this.list({ where: { id } });
    return data[0]!.paymentLink!.split('/').at(-1)!;
  }
}
