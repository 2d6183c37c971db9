import { randomUUID } from 'node:crypto';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { openStage } from './stage';
import type { ResponseOf, Stage } from './stage';

type Ended = ReceivedEvent<typeof telephonyEvents.callEnded>;

const noon = new Date('2026-03-10T12:00:00Z');

/** Calls of one account after the other that are paid for in advance, at whatever time it is. */
export class ReservationDesk {
  account = 100;
  time = noon;
  stage!: Stage;

  async open(): Promise<void> {
    this.stage = await openStage({ now: () => this.time, poolSize: 20, lowThreshold: 10_000 });
    // 0.12 a minute at 30/6: 0.06 for the first 30 seconds, 0.012 for every 6 more.
    await this.stage.setPrice('0.12');
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  nextAccount(): void {
    this.account++;
    this.time = noon;
  }

  /** Of a call that begins now. */
  newCallId(): string {
    return newEventId(this.time);
  }

  reserve(callId: string, destination = '5511987654321'): Promise<ResponseOf<'reserveCredit'>> {
    return this.stage.call('reserveCredit', { callId, accountId: this.account, destination });
  }

  async balance(): Promise<Pick<ResponseOf<'getBalance'>, 'balance' | 'reserved' | 'available'>> {
    const { balance, reserved, available } = await this.stage.call('getBalance', {}, { accountId: this.account });
    return { balance, reserved, available };
  }

  ended(callId: string, durationSeconds: number, call: Record<string, unknown> = {}): Ended {
    const usual = { callType: 'outbound', to: '5511987654321', startedAt: this.time, endedAt: this.time };
    return {
      id: randomUUID(),
      type: telephonyEvents.callEnded.type,
      version: 1,
      accountId: this.account,
      occurredAt: this.time,
      deliveryCount: 1,
      message: CallEnded.fromPartial({ call: { callId, durationSeconds, ...usual, ...call } }),
    };
  }

  deliver(...events: Ended[]): Promise<unknown> {
    return this.stage.database.transaction((tx) => this.stage.consumer.handleBatch(events, tx));
  }

  /** A call that is paid for in advance, all of it. */
  async talk(callId: string, seconds: number): Promise<void> {
    let { seconds: granted } = await this.reserve(callId);
    while (granted < seconds) {
      ({ seconds: granted } = await this.stage.call('extendReservation', { callId, seconds }));
    }
    await this.deliver(this.ended(callId, seconds));
  }
}
