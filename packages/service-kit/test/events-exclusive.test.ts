import { connectNats } from '@sabia/service-kit/events/nats/connection';
import { eventually } from '@sabia/testkit/eventually';
import { textOf, useEventRoom } from './event-room';
import { log, unique } from './event-stage';

describe('events', () => {
  const room = useEventRoom();

  it('of an exclusive consumer are handled by one replica, in order; another takes over when it ends', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    const handled: { replica: number; text: string }[] = [];
    const replicas = [1, 2].map((replica) =>
      room.stage.consume({
        durable,
        exclusive: true,
        batchSize: 2,
        handle: async (event) => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
          handled.push({ replica, text: textOf(event) });
        },
      }),
    );
    const send = async (from: number) => {
      const texts = Array.from({ length: 50 }, (_, index) => `event ${from + index}`);
      await room.stage.publish(texts.map((entry) => ({ text: entry })));
      await eventually(() => handled.length >= from + texts.length);
    };
    await send(0);
    const [first] = handled;
    expect(new Set(handled.map(({ replica }) => replica)).size).toBe(1);
    await replicas[first!.replica - 1]!.stop();
    await send(50);
    expect(handled.slice(50).every(({ replica }) => replica === 3 - first!.replica)).toBe(true);
    expect(handled.map(({ text: entry }) => entry)).toEqual(
      Array.from({ length: 100 }, (_, index) => `event ${index}`),
    );
  });

  it('of an exclusive consumer go to the replica that reaches NATS, whichever came first', async () => {
    room.stage.relay.start();
    const durable = unique('consumer');
    const handled: string[] = [];
    const away = connectNats({ url: 'nats://127.0.0.1:1', name: 'without NATS', log });
    const cutOff = room.stage.consume({ durable, exclusive: true, handle: () => Promise.resolve() }, { nats: away });
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      room.stage.consume({ durable, exclusive: true, handle: async (event) => void handled.push(textOf(event)) });
      await room.stage.publish([{ text: 'for the replica that hears it' }]);
      await eventually(() => handled.length === 1);
    } finally {
      await cutOff.stop(1_000);
      await away.close();
    }
  });
});
