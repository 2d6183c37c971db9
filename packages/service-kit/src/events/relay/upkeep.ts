import type { LiveCopies } from './live-copies';
import type { OutboxSession, StoredMark } from './outbox-session';
import type { Progress } from './progress';

export interface UpkeepOptions {
  session: Pick<OutboxSession, 'saveMark' | 'emptyNextSlot'>;
  progress: Pick<Progress, 'position' | 'open'>;
  copies: Pick<LiveCopies, 'held'>;
  /** Where the relay started. */
  mark: Pick<StoredMark, 'streamCreated' | 'toldTo'>;
  now?: () => number;
}

/** What the active relay does between batches. */
export interface Upkeep {
  whenDue(): Promise<void>;
  /** Saves the progress now. */
  save(): Promise<void>;
}

/** Rarely, because every version of the one row stays as long as the oldest snapshot. What was published since is published again. */
const markEveryMs = 1_000;
/** Also without progress, to notice a mark that an operator has moved. */
const lookEveryMs = 60_000;
const slotEveryMs = 10 * 60 * 1000;

export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { session, progress, copies, mark: start, now = Date.now } = options;
  let saved = '';
  let lookedAt = 0;
  let savedAt = 0;
  let emptiedAt = 0;

  async function save(): Promise<void> {
    const held = copies.held().map((position) => ({ from: position, to: position }));
    const { streamCreated, toldTo } = start;
    const mark = { position: progress.position, open: [...progress.open, ...held], streamCreated, toldTo };
    const text = JSON.stringify([mark.position, mark.open]);
    if (text === saved && now() - lookedAt < lookEveryMs) {
      return;
    }
    lookedAt = now();
    if (!(await session.saveMark(mark))) {
      throw new Error('the mark of the outbox was moved by somebody else, starting from there');
    }
    saved = text;
  }

  return {
    save,
    async whenDue() {
      if (now() - savedAt >= markEveryMs) {
        savedAt = now();
        await save();
      }
      if (now() - emptiedAt >= slotEveryMs) {
        emptiedAt = now();
        await session.emptyNextSlot();
      }
    },
  };
}
