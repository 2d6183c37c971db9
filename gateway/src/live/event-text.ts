import type { LiveEvent } from './live-event';
import { writeEventId } from './position';

/** An event as it is written to every stream that wants it. */
export interface WrittenEvent extends Pick<LiveEvent, 'name' | 'callId'> {
  text: string;
}

/** The id of the last event of a message stands for the whole message. */
export function writeEvents(incarnation: string, sequence: number, events: readonly LiveEvent[]): WrittenEvent[] {
  return events.map(({ name, callId, data }, index) => {
    const after = index + 1 < events.length ? { sequence, skip: index + 1 } : { sequence: sequence + 1, skip: 0 };
    const id = writeEventId(incarnation, after);
    return { name, callId, text: `id: ${id}\nevent: ${name}\ndata: ${data}\n\n` };
  });
}

/** Sets the id from which the client resumes, without an event. */
export const writeId = (id: string): string => `id: ${id}\n\n`;

/** How long the client waits before it connects again. */
export const writeRetry = (ms: number): string => `retry: ${ms}\n\n`;

/** A comment, which clients ignore: proxies see that the connection is in use. */
export const keepAliveText = ':\n\n';

/** Tells the client to load anew what it shows, because events before this one may be missing. */
export function writeReset(id: string, at: Date, reason: string): string {
  return `id: ${id}\nevent: reset\ndata: ${JSON.stringify({ type: 'reset', at, reason })}\n\n`;
}
