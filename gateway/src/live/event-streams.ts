import type { ServerResponse } from 'node:http';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { unavailable } from '@sabia/service-kit/errors';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import type { TokenCache } from '../access/token-cache';
import { tooManyStreams } from '../errors/http-error';
import type { Credential } from '../http/exchange';
import { createEventLog } from './event-log';
import type { LogState, StoredMessage } from './event-log';
import { createEventStream } from './event-stream';
import type { EventFilter, EventStream } from './event-stream';
import { createEventTail } from './event-tail';
import { writeEvents, writeId, writeReset, writeRetry } from './event-text';
import type { WrittenEvent } from './event-text';
import { readLiveEvents } from './live-event';
import { readEventId, writeEventId } from './position';
import { createStreamRegister } from './stream-register';

export interface EventStreamsOptions {
  nats: Nats;
  tokens: Pick<TokenCache, 'get' | 'onDrop'>;
  log: Logger;
  telemetry: Pick<Telemetry, 'meter'>;
  /** The most streams of one user, and of all, in this gateway. */
  perUser: number;
  atMost: number;
  now: () => number;
}

export interface StreamRequest {
  caller: Caller;
  credential: Credential;
  filter: EventFilter;
  lastEventId?: string;
}

/** A stream that may begin. One of the two is called, once. */
export interface ReadyStream {
  begin(target: ServerResponse): void;
  discard(): void;
}

export interface EventStreams {
  /** Throws while the stream cannot be served, or when the user has too many of them. */
  prepare(request: StreamRequest): Promise<ReadyStream>;
  /** Ends all streams; their clients connect to another replica and resume. */
  close(): void;
}

const RECONNECT_MS = 2_000;
const HEARTBEAT_SECONDS = 15;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { nats, tokens, log, telemetry, now } = options;
  const eventLog = createEventLog(nats);
  const register = createStreamRegister();
  const open = telemetry.meter.createUpDownCounter('sabia_event_streams', {
    description: 'Open streams of live events',
  });
  const ends = telemetry.meter.createCounter('sabia_event_streams_ended', {
    description: 'Ended streams of live events by reason: left, slow, token, stopping',
  });
  let incarnation = '';
  let closed = false;
  let heartbeats: NodeJS.Timeout | undefined;
  let tick = 0;

  const tail = createEventTail({
    nats,
    log,
    onMessage({ accountId, sequence, data }) {
      const streams = register.ofAccount(accountId);
      if (streams.size > 0) {
        const events = write({ sequence, data });
        streams.forEach((stream) => stream.offer(sequence, events));
      }
    },
    onFollowing: () => register.all().forEach((stream) => stream.catchUp()),
  });

  function write({ sequence, data }: StoredMessage): WrittenEvent[] {
    try {
      return writeEvents(incarnation, sequence, readLiveEvents(data));
    } catch (error) {
      log.error({ err: error, sequence }, 'a live event could not be read');
      return [];
    }
  }

  const stopListening = tokens.onDrop((dropped) => {
    if (dropped.kind === 'token') {
      register.ofToken(dropped.tokenHash).forEach((stream) => stream.end('token'));
    } else {
      // Tokens of a changed user may still be live.
      const streams = dropped.kind === 'user' ? register.ofUser(dropped.userId) : register.all();
      streams.forEach((stream) => stream.catchUp());
    }
  });

  function beat(): void {
    tick = (tick + 1) % HEARTBEAT_SECONDS;
    // A part of the streams each second, so that thousands of them do not hold up everything else.
    register.part(tick, HEARTBEAT_SECONDS).forEach((stream) => stream.keepAlive(tail.position));
  }

  async function startOf(
    lastEventId: string | undefined,
  ): Promise<{ state: LogState; from: number; skip: number; reset?: string }> {
    let state = await eventLog.state();
    const atEnd = () => ({ state, from: state.last + 1, skip: 0 });
    if (lastEventId === undefined) {
      return atEnd();
    }
    const id = readEventId(lastEventId);
    if (id !== undefined && id.sequence > state.last + 1) {
      // The shared look at the log may have begun before the client got its last event.
      state = await eventLog.state();
    }
    if (id === undefined || id.incarnation !== state.incarnation || id.sequence > state.last + 1) {
      return { ...atEnd(), reset: 'The Last-Event-ID is not known.' };
    }
    return id.sequence < state.first
      ? { ...atEnd(), reset: 'The Last-Event-ID is too old.' }
      : { state, from: id.sequence, skip: id.skip };
  }

  async function prepare({ caller, credential, filter, lastEventId }: StreamRequest): Promise<ReadyStream> {
    if (closed || register.reserved >= options.atMost) {
      throw unavailable('No further event streams are accepted here at the moment.');
    }
    if (register.reservedBy(caller.userId) >= options.perUser) {
      throw tooManyStreams(options.perUser);
    }
    const free = register.reserve(caller.userId);
    try {
      const { state, from, skip, reset } = await startOf(lastEventId);
      return { begin: (target) => begin(target, { state, from, skip, reset }), discard: free };
    } catch (error) {
      free();
      throw error;
    }

    function begin(
      target: ServerResponse,
      { state, from, skip, reset }: { state: LogState; from: number; skip: number; reset?: string },
    ): void {
      incarnation = state.incarnation;
      const position = { sequence: from, skip };
      const id = writeEventId(incarnation, position);
      target.write(
        writeRetry(RECONNECT_MS) + (reset === undefined ? writeId(id) : writeReset(id, new Date(now()), reset)),
      );
      const expiry = endAt(credential.expiresAt, now, () => stream.end('token'));
      const stream: EventStream = createEventStream({
        target,
        accountId: caller.accountId,
        filter,
        incarnation,
        from: position,
        log: eventLog,
        write,
        isLive: async () => (await tokens.get(credential.tokenHash)).state === 'live',
        now,
        onEnd(reason) {
          clearTimeout(expiry);
          leave();
          free();
          open.add(-1);
          ends.add(1, { reason });
          if (register.size === 0) {
            tail.stop();
            clearInterval(heartbeats);
            heartbeats = undefined;
          }
        },
      });
      const leave = register.add(stream, { userId: caller.userId, tokenHash: credential.tokenHash });
      open.add(1);
      if (closed) {
        stream.end('stopping');
        return;
      }
      heartbeats ??= setInterval(beat, 1_000).unref();
      tail.start();
      if (tail.following) {
        stream.catchUp();
      }
    }
  }

  return {
    prepare,
    close() {
      closed = true;
      stopListening();
      register.all().forEach((stream) => stream.end('stopping'));
    },
  };
}

/** Calls `expire` at the time; a timer cannot wait for more than some weeks, and a stream does not last that long. */
function endAt(time: number | undefined, now: () => number, expire: () => void): NodeJS.Timeout | undefined {
  return time === undefined
    ? undefined
    : setTimeout(expire, Math.min(Math.max(0, time - now()), LONGEST_TIMER_MS)).unref();
}
