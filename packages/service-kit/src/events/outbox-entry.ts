import { liveAudiences } from '@sabia/protos/events/live';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';

/** An event as it is written to the outbox. */
export interface OutboxEntry {
  id: string;
  type: string;
  version: number;
  accountId: number;
  occurredAt: Date;
  traceparent: string;
  tracestate: string;
  payload: Uint8Array;
  servicesOnly: boolean;
  /** The events that the account is told of together with this one. */
  also: OutboxEntry[];
}

/** The most events of one message to an account, and the most bytes that they may carry. */
const mostTogether = 50;
const mostBytes = 64 * 1024;

/**
 * Events of one type that are written together reach their account in one message: with the first of them goes all that follows.
 * Services have an entry for each event, so one that they do not get needs none. This is done here and not
 * when the entries are published, because a relay that starts anew must publish the same messages.
 */
export function gatherLive(entries: OutboxEntry[]): OutboxEntry[] {
  const firsts = new Map<string, { entry: OutboxEntry; bytes: number }>();
  return entries.filter((entry) => {
    const audience = liveAudiences.get(entry.type);
    if (audience === undefined || entry.servicesOnly) {
      return true;
    }
    const key = `${entry.accountId} ${entry.type}`;
    const first = firsts.get(key);
    const bytes = (first?.bytes ?? 0) + entry.payload.byteLength;
    if (first === undefined || first.entry.also.length + 1 >= mostTogether || bytes > mostBytes) {
      firsts.set(key, { entry, bytes: entry.payload.byteLength });
      return true;
    }
    first.bytes = bytes;
    first.entry.also.push(entry);
    entry.servicesOnly = true;
    return audience !== 'accounts';
  });
}

type InEnvelope = Omit<Envelope, 'payload' | 'also'> & { payload: Uint8Array };

/** To be appended to the bytes of the envelope that they belong to: the fields of a message may be in any order. */
export function encodeAlso(entries: readonly InEnvelope[]): Uint8Array {
  if (entries.length === 0) {
    return nothing;
  }
  const also = entries.map((entry): Envelope => ({ ...entry, payload: Buffer.from(entry.payload), also: [] }));
  return Envelope.encode({ ...Envelope.create(), also }).finish();
}

const nothing = Buffer.alloc(0);
