import { setTimeout as delay } from 'node:timers/promises';
import { RetryLater } from '@sabia/service-kit/events/consumer/retry-later';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { eventually } from '@sabia/testkit/eventually';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { textOf, useEventRoom } from './event-room';
import { unique } from './event-stage';

describe('events with an effect that is not SQL', () => {
  const room = useEventRoom();

  it('are repeated while the effect asks for it, and done once', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    const sent: string[] = [];
    let refusals = 3;
    const definition = {
      durable,
      concurrency: 2,
      effect: async (event: ReceivedEvent) => {
        if (refusals-- > 0) {
          throw new RetryLater(10);
        }
        sent.push(textOf(event));
      },
    };
    room.stage.consume(definition);
    room.stage.consume(definition);
    await room.stage.publish(Array.from({ length: 50 }, (_, index) => ({ text: `mail ${index}`, accountId: index })));
    await eventually(() => sent.length >= 50);
    const [row] = await eventually(async () => {
      const rows = await room.stage.database.query<{ count: number }>(
        'SELECT count(*) AS count FROM inbox WHERE consumer = $1',
        [durable],
      );
      return rows[0]?.count === 50 && rows;
    });
    expect(row?.count).toBe(50);
    expect(new Set(sent).size).toBe(50);
    expect(sent).toHaveLength(50);
  });

  it('are not started while another replica handles them', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    let running = 0;
    let most = 0;
    let done = 0;
    const id = newEventId();
    const definition = {
      durable,
      concurrency: 4,
      effect: async () => {
        running++;
        most = Math.max(most, running);
        await delay(200);
        running--;
        done++;
      },
    };
    room.stage.consume(definition);
    const copy = (accountId: number) =>
      Envelope.encode(
        Envelope.fromPartial({ id, type: room.stage.event.type, occurredAt: new Date(), accountId }),
      ).finish();
    await room.stage.nats.connection();
    await eventually(async () => {
      await room.publishRaw(copy(0));
      return true;
    });
    await room.publishRaw(copy(1));
    await room.publishRaw(copy(2));
    await eventually(() => done === 1);
    await room.stage.publish([{ text: 'the end', accountId: 3 }]);
    await eventually(() => done === 2);
    expect(most).toBe(1);
  });
});
