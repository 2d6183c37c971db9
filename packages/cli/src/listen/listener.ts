import type { Call, LiveEvent, Sabia, SabiaError } from '@sabia/client';
import { createCallLookup } from './call-lookup';
import { EventQueue } from './event-queue';
import { forward } from './forwarder';
import type { Forwarded } from './forwarder';
import type { Position, PositionFile } from './position-file';
import { eventTypes, isTold, webhookBody, webhookTypeOf } from './webhook-body';
import type { Price, ToldEvent, WebhookType } from './webhook-body';

export interface ListenerOptions {
  sabia: Sabia;
  /** The account's. */
  timeZone: string;
  url: string;
  types: readonly WebhookType[];
  file: PositionFile;
  position: Position;
  signal: AbortSignal;
  onForwarded: (event: ToldEvent, result: Forwarded) => void;
  onAway: (reason: string) => void;
  onInterrupted: (error: SabiaError) => void;
  onOpen: () => void;
  /** Events may be missing: the position was too old, or is not known. */
  onReset: () => void;
}

/** Something that moves the position: an event, or a place in the stream without one. */
type Step = { event: LiveEvent } | { cursor: string };

const READ_AHEAD = 1_000;
/** How many steps share one look at their calls. */
const BATCH = 100;
const REMEMBERED = 500;

/**
 * Forwards the events of the account to a receiver, one after the other. The position is written after each one and before the next is
 * sent: whenever the process is killed, the next one goes on with the event that was not answered yet.
 */
export async function listen(options: ListenerOptions): Promise<void> {
  const { signal, file, types } = options;
  const queue = new EventQueue<Step>(READ_AHEAD);
  const lookUp = createCallLookup(options.sabia, signal);
  const position = { ...options.position };
  const known = new Set(position.forwarded);

  function save(cursor: string, eventId?: string): void {
    position.cursor = cursor;
    if (eventId !== undefined) {
      known.add(eventId);
      position.forwarded = [...position.forwarded, eventId].slice(-REMEMBERED);
    }
    file.write(position);
  }

  async function handle(step: Step, calls: ReadonlyMap<string, Call>): Promise<void> {
    if ('cursor' in step) return save(step.cursor);
    const { event } = step;
    if (event.type === 'reset') options.onReset();
    const call = isTold(event) ? calls.get(event.callId) : undefined;
    if (!isTold(event) || call === undefined || !types.includes(webhookTypeOf(event)) || known.has(event.id)) {
      return save(event.cursor);
    }
    const type = webhookTypeOf(event);
    const body = webhookBody(type, { ...event, price: priceIn(event) }, call, options.timeZone);
    const result = await forward(`msg_${event.id}`, body, { ...options, secret: position.secret });
    if (result === undefined) return;
    save(event.cursor, event.id);
    options.onForwarded(event, result);
  }

  const reading = read(queue, options).finally(() => queue.close());
  // Awaited below, after what was read before it failed has been forwarded.
  reading.catch(() => undefined);
  for (let steps = await queue.take(BATCH); steps !== undefined; steps = await queue.take(BATCH)) {
    const calls = await lookUp(
      steps.flatMap((step) => ('event' in step && isTold(step.event) ? [step.event.callId] : [])),
    );
    for (const step of steps) {
      if (signal.aborted) return;
      await handle(step, calls);
    }
  }
  await reading;
}

async function read(queue: EventQueue<Step>, options: ListenerOptions): Promise<void> {
  const { sabia, position, signal, onInterrupted, onOpen } = options;
  const events = sabia.events({
    types: eventTypes,
    after: position.cursor,
    signal,
    onInterrupted,
    onOpen,
    onCursor: (cursor) => void queue.add({ cursor }),
  });
  for await (const event of events) await queue.add({ event });
}

function priceIn(event: ToldEvent): Price | undefined {
  if (event.type !== 'call.rated') return undefined;
  const { minutePrice, callPrice, billedSeconds } = event;
  return { minutePrice, callPrice, billedSeconds };
}
