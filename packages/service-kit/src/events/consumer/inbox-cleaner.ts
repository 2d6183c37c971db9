import type { Logger } from '../../logging';
import type { Inbox } from './inbox';
import { eventMaxAgeMs } from '../nats/topology';

export interface InboxCleaner {
  start(): void;
  stop(): Promise<void>;
}

export interface InboxCleanerOptions {
  inbox: Inbox;
  log: Logger;
  maxAgeMs?: number;
  everyMs?: number;
  now?: () => Date;
}

const hour = 60 * 60 * 1000;

/** An event older than the stream keeps cannot come again, so its inbox row can go. A day more, for clocks and replays. */
export function createInboxCleaner(options: InboxCleanerOptions): InboxCleaner {
  const { inbox, log, maxAgeMs = eventMaxAgeMs + 24 * hour, everyMs = hour, now = () => new Date() } = options;
  let timer: NodeJS.Timeout | undefined;
  let cleaning: Promise<void> = Promise.resolve();

  const clean = async (): Promise<void> => {
    try {
      const deleted = await inbox.clean(new Date(now().getTime() - maxAgeMs));
      if (deleted > 0) {
        log.info({ deleted }, 'old inbox rows deleted');
      }
    } catch (error) {
      log.warn({ err: error }, 'the inbox could not be cleaned, next time then');
    }
  };

  return {
    start() {
      timer ??= setInterval(() => {
        cleaning = cleaning.then(clean);
      }, everyMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await cleaning;
    },
  };
}
