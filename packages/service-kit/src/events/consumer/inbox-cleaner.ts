import type { Logger } from '../../logging';
import type { Database } from '../../postgres/database';
import { createPeriodicWork } from '../../work/periodic-work';
import type { PeriodicWork } from '../../work/periodic-work';
import { eventMaxAgeMs } from '../nats/topology';
import type { Inbox } from './inbox';
import { emptyNextSlot } from './inbox-slots';

export interface InboxCleanerOptions {
  database: Database;
  inbox: Pick<Inbox, 'forgetBefore'>;
  log: Logger;
  everyMs?: number;
  now?: () => Date;
}

const hour = 60 * 60 * 1000;
/** The stream no longer keeps the event and so cannot deliver it again; a day later, for clocks and replays. */
const maxAgeMs = eventMaxAgeMs + 24 * hour;

/** Forgets events that cannot be delivered again. Any consumer of the schema empties the slot that all of them share. */
export function createInboxCleaner(options: InboxCleanerOptions): PeriodicWork {
  const { database, inbox, log, everyMs = hour, now = () => new Date() } = options;
  return createPeriodicWork({
    name: 'old inbox rows',
    everyMs,
    async work() {
      const before = new Date(now().getTime() - maxAgeMs);
      await inbox.forgetBefore(before);
      const emptied = await emptyNextSlot(database, { now: now(), before });
      if (emptied !== undefined) {
        log.info(emptied, 'a slot of the inbox is emptied');
      }
    },
    log,
  });
}
