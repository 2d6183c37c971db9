import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog, StoredMessage } from './event-log';
import { keepAliveText, writeId, writeRetry } from './event-text';
import type { WrittenEvent } from './event-text';
import type { Position } from './position';
import { writeEventId } from './position';

/** Why a stream ended. */
export type StreamEnd = 'left' | 'slow' | 'token' | 'stopping';

/** Which events of the account the client wants. */
export interface EventFilter {
  /** Undefined: all of them. */
  names?: ReadonlySet<string>;
  callId?: string;
}

export interface EventStreamOptions {
  target: ServerResponse;
  accountId: number;
  filter: EventFilter;
  incarnation: string;
  from: Position;
  log: Pick<EventLog, 'next'>;
  /** Reads the events of a stored message. */
  write: (message: StoredMessage) => readonly WrittenEvent[];
  /** Whether the token is live. Rejects when nobody can tell. Asking counts as a use of the token. */
  isLive: () => Promise<boolean>;
  now: () => number;
  onEnd: (reason: StreamEnd) => void;
}

/** One client's connection. */
export interface EventStream {
  readonly accountId: number;
  /** Looks at the token again, and reads from the log whatever the client has not got yet. */
  catchUp(): void;
  /** A new event of the account. */
  offer(sequence: number, events: readonly WrittenEvent[]): void;
  /** Shows that the connection is in use, and from where the client may resume; every few minutes it looks at the token again. */
  keepAlive(position: number): void;
  end(reason: StreamEnd): void;
}

/** A client that leaves this much unread is cut; it can resume. */
export const MOST_UNREAD_BYTES = 64 * 1024;
/** How long a client that is catching up may take to read what it was sent. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 1_000;
/** How often the token of an open stream is looked at. A session that is not used ends, and an open stream is a use of it. */
const LOOK_AT_TOKEN_MS = 5 * 60_000;

/**
 * A stream catches up from the log until nothing is left, and from then on gets new events as they come. What comes while it reads
 * the log is not kept: the log has it, too. So no event is missed or sent twice, and little memory is used.
 */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { target, accountId, filter, incarnation, log, write, isLive, now, onEnd } = options;
  let from = options.from;
  let phase: 'catching up' | 'live' | 'ended' = 'catching up';
  let running = false;
  let unproven = true;
  let missed = false;
  let unreadBefore = false;
  let lookedAt = now();
  const ended = new AbortController();

  const wants = ({ name, callId }: WrittenEvent): boolean =>
    (filter.names === undefined || filter.names.has(name)) && (filter.callId === undefined || filter.callId === callId);

  function send(sequence: number, events: readonly WrittenEvent[]): void {
    const skip = sequence === from.sequence ? from.skip : 0;
    const text = events
      .filter((event, index) => index >= skip && wants(event))
      .map((event) => event.text)
      .join('');
    from = { sequence: sequence + 1, skip: 0 };
    if (text !== '') {
      put(text);
    }
  }

  function put(text: string): void {
    if (target.writableLength > MOST_UNREAD_BYTES) {
      end('slow');
    } else {
      target.write(text);
    }
  }

  /** While nobody can tell, the stream goes on as requests with a remembered token do; the next heartbeat asks again. */
  async function lookAtToken(): Promise<void> {
    const before = lookedAt;
    lookedAt = now();
    try {
      if (!(await isLive())) {
        end('token');
      }
    } catch {
      lookedAt = before;
    }
  }

  async function readLog(): Promise<void> {
    while (phase === 'catching up') {
      if (unproven) {
        unproven = false;
        lookedAt = now();
        if (!(await isLive())) {
          end('token');
          return;
        }
      }
      missed = false;
      const message = await log.next(accountId, from.sequence);
      // Ended, or to be looked at again, while it waited.
      if (phase !== 'catching up' || unproven) {
        continue;
      }
      if (message !== undefined) {
        send(message.sequence, write(message));
        await untilRead();
      } else if (!missed) {
        phase = 'live';
      }
    }
  }

  async function untilRead(): Promise<void> {
    if (phase !== 'ended' && target.writableNeedDrain) {
      const waiting = new AbortController();
      const onDrain = (): void => waiting.abort();
      target.once('drain', onDrain);
      const signal = AbortSignal.any([waiting.signal, ended.signal]);
      const inTime = await delay(PATIENCE_MS, false, { signal }).catch(() => true);
      target.off('drain', onDrain);
      if (!inTime) {
        end('slow');
      }
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (phase === 'catching up') {
      try {
        await readLog();
      } catch {
        // NATS or identity is away: nothing is sent before both are back.
        unproven = true;
        await delay(RETRY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
    }
    running = false;
  }

  function end(reason: StreamEnd): void {
    if (phase === 'ended') {
      return;
    }
    phase = 'ended';
    ended.abort();
    if (reason === 'stopping') {
      // Not all at the same moment.
      target.end(writeRetry(500 + Math.round(Math.random() * 2_500)));
    } else if (reason === 'token' && target.writableLength === 0) {
      target.end();
    } else {
      target.destroy();
    }
    onEnd(reason);
  }

  target.once('close', () => end('left'));

  return {
    accountId,
    catchUp() {
      if (phase === 'ended') {
        return;
      }
      phase = 'catching up';
      unproven = true;
      if (!running) {
        void run();
      }
    },
    offer(sequence, events) {
      if (phase === 'catching up') {
        missed = true;
      } else if (phase === 'live' && sequence >= from.sequence) {
        send(sequence, events);
      }
    },
    keepAlive(position) {
      if (phase === 'ended') {
        return;
      }
      const unread = target.writableLength > 0;
      if (unread && unreadBefore) {
        end('slow');
        return;
      }
      unreadBefore = unread;
      if (now() - lookedAt >= LOOK_AT_TOKEN_MS) {
        void lookAtToken();
      }
      if (phase === 'live') {
        from = { sequence: Math.max(from.sequence, position + 1), skip: 0 };
        put(`:\n${writeId(writeEventId(incarnation, from))}`);
      } else {
        put(keepAliveText);
      }
    },
    end,
  };
}
