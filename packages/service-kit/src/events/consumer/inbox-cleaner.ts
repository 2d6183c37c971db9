import type { Logger } from '../../logging';
import { createPeriodicWork } from '../../work/periodic-work';
import type { PeriodicWork } from '../../work/periodic-work';
import { eventMaxAgeMs } from '../nats/topology';
import type { Inbox } from './inbox';

export interface InboxCleanerOptions {
  inbox: Inbox;
  log: Logger;
  maxAgeMs?: number;
  everyMs?: number;
  now?: () => Date;
}

const hour = 60 * 60 * 1000;

/** Deletes inbox rows of events that the stream no longer keeps and so cannot deliver again; a day later, for clocks and replays. */
export function createInboxCleaner(options: InboxCleanerOptions): PeriodicWork {
  const { inbox, log, maxAgeMs = eventMaxAgeMs + 24 * hour, everyMs = hour, now = () => new Date() } = options;
  return createPeriodicWork({
    name: 'old inbox rows',
    everyMs,
    async work(signal) {
      const deleted = await inbox.clean(new Date(now().getTime() - maxAgeMs), signal);
      if (deleted > 0) {
        log.info({ deleted }, 'old inbox rows deleted');
      }
    },
    log,
  });
}
