import { newEventId } from '@sabia/service-kit/events/outbox';
import { createInbox } from '@sabia/service-kit/events/consumer/inbox';
import { createInboxCleaner } from '@sabia/service-kit/events/consumer/inbox-cleaner';
import { eventually } from '@sabia/testkit/eventually';
import { useEventRoom } from './event-room';
import { log, unique } from './event-stage';

describe('events', () => {
  const room = useEventRoom();

  it('are forgotten by the inbox once the stream cannot hold them any more', async () => {
    const inbox = createInbox(room.stage.database, unique('consumer'));
    const another = createInbox(room.stage.database, unique('consumer'));
    const [old, young] = [newEventId(), newEventId()];
    await inbox.record(room.stage.database, [old]);
    await another.record(room.stage.database, [old]);
    await inbox.fail(old);
    const between = new Date(
      (await room.stage.database.query<{ now: Date }>('SELECT clock_timestamp() AS now'))[0]?.now ?? 0,
    );
    await eventually(() => new Date() > between);
    await inbox.record(room.stage.database, [young]);
    const inboxLog = { inbox, log, maxAgeMs: 1_000, everyMs: 5, now: () => new Date(between.getTime() + 1_001) };
    const cleaner = createInboxCleaner(inboxLog);
    cleaner.start();
    await eventually(async () => (await inbox.claim(old, 1)) === 'claimed');
    await cleaner.stop();
    await expect(inbox.claim(young, 1)).resolves.toBe('handled');
    await expect(another.claim(old, 1)).resolves.toBe('handled');
  });
});
