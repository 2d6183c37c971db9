import { SabiaError } from '../errors';
import type { FollowEventsResponses } from '../generated/types.gen';
import { pause } from '../pause';
import { backOff, mayPass } from '../retries';
import type { Send } from '../transport';
import { readServerSentEvents } from './server-sent-events';

/** What happened in the account. `reset`: events before it may be missing, what was loaded should be loaded anew. */
export type LiveEvent = FollowEventsResponses[200] & {
  /** Where the stream goes on after this event: hand it to `events({ after })`. */
  cursor: string;
};

export interface EventsOptions {
  /** Names and kinds, such as "call.answered" and "call.*"; all of them unless it is set. */
  types?: readonly string[];
  /** Only events of this call. */
  callId?: string;
  /** The cursor of the last event that is known; what happened since is told first. Without it: what happens from now on. */
  after?: string;
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** The position moved on without an event, such as when the stream is opened or nothing of interest happened for a while. */
  onCursor?: (cursor: string) => void;
  /** The stream is open, for the first time or again. */
  onOpen?: () => void;
  /** The connection was lost or refused for now; it is tried again. */
  onInterrupted?: (error: SabiaError) => void;
}

/** The API shows every 15 seconds that it is there; a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * GET /events as an iteration that resumes by itself: without a gap or a repetition, for as long as the API keeps events. It ends
 * with the signal, and throws what waiting does not cure, such as a token that has ended.
 */
export async function* followEvents(
  send: Send,
  url: string,
  options: EventsOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  const { types, callId, signal, onCursor, onOpen, onInterrupted } = options;
  const target = new URL(url);
  if (types !== undefined) target.searchParams.set('types', types.join(','));
  if (callId !== undefined) target.searchParams.set('callId', callId);
  let cursor = options.after;
  let retryMs = 0;
  let failures = 0;

  for (;;) {
    const connection = new AbortController();
    const end = (): void => connection.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    let silence: ReturnType<typeof setTimeout> | undefined;
    const watch = (): void => void (silence = setTimeout(() => connection.abort(silent()), SILENCE_MS));
    try {
      watch();
      signal?.throwIfAborted();
      const response = await send(openRequest(target, cursor, connection.signal));
      onOpen?.();
      for await (const message of readServerSentEvents(response.body!, connection.signal)) {
        // Not while the event is worked on.
        clearTimeout(silence);
        failures = 0;
        retryMs = message.retryMs ?? retryMs;
        cursor = message.id ?? cursor;
        if (message.data !== undefined) {
          yield { ...(JSON.parse(message.data) as FollowEventsResponses[200]), cursor: cursor ?? '' };
        } else if (message.id !== undefined) {
          onCursor?.(message.id);
        }
        watch();
      }
      connection.signal.throwIfAborted();
      throw new SabiaError({ status: 0, code: 'NO_CONNECTION', message: 'The stream of events was ended.' });
    } catch (error) {
      if (signal?.aborted) return;
      const problem = error instanceof SabiaError ? error : broken(error);
      if (!mayPass(problem) && problem.status < 500) throw problem;
      onInterrupted?.(problem);
      failures += 1;
      const wait = Math.max((problem.retryAfterSeconds ?? 0) * 1000, retryMs, backOff(failures, LONGEST_WAIT_MS));
      await pause(wait, signal).catch(() => undefined);
      if (signal?.aborted) return;
    } finally {
      clearTimeout(silence);
      signal?.removeEventListener('abort', end);
      connection.abort();
    }
  }
}

function openRequest(target: URL, cursor: string | undefined, signal: AbortSignal): Request {
  const resume = cursor === undefined || cursor === '' ? undefined : { 'last-event-id': cursor };
  return new Request(target, { headers: { accept: 'text/event-stream', ...resume }, signal });
}

const silent = (): SabiaError =>
  new SabiaError({ status: 0, code: 'TIMEOUT', message: 'The stream of events was silent for too long.' });

const broken = (cause: unknown): SabiaError =>
  new SabiaError({ status: 0, code: 'NO_CONNECTION', message: 'The stream of events broke off.', cause });
