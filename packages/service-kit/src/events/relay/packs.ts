import { createHash } from 'node:crypto';
import { envelopeOf, messageIdHeader, serviceSubjectOf, toPublication } from '../envelope';
import { encodeAlso } from '../outbox-entry';
import type { Publication } from './batch-publisher';
import type { OutboxRow } from './outbox-session';

/** How events are published for services; both are for processes that all know them. */
export interface EventFormat {
  /** Subjects name the shard of the account. */
  shardEvents: boolean;
  /** A message may carry several events. */
  packEvents: boolean;
}

/** A message for services, and the rows whose events it carries. */
export interface Pack {
  rows: OutboxRow[];
  publication: Publication;
}

interface OpenPack {
  subject: string;
  rows: OutboxRow[];
  bytes: number;
}

/** The most events of one message, and the most bytes that they may carry. What gains is the first dozen. */
const mostTogether = 32;
const mostBytes = 64 * 1024;

/**
 * The messages for services, in the order in which they are to be published. The events of an account keep their order, those of different
 * accounts need none: a row joins the last message of its subject unless that would put it before another event of its account.
 */
export function packsOf(rows: readonly OutboxRow[], { shardEvents, packEvents }: EventFormat): Pack[] {
  const packs: OpenPack[] = [];
  const lastOfSubject = new Map<string, number>();
  const lastOfAccount = new Map<number, number>();
  for (const row of rows) {
    const subject = serviceSubjectOf(row, shardEvents);
    if (subject === undefined) continue;
    const bytes = row.payload.byteLength;
    let nth = lastOfSubject.get(subject) ?? -1;
    if (packEvents && nth >= (lastOfAccount.get(row.account_id) ?? -1) && hasRoom(packs[nth], bytes)) {
      packs[nth]!.rows.push(row);
      packs[nth]!.bytes += bytes;
    } else {
      nth = packs.push({ subject, rows: [row], bytes }) - 1;
      lastOfSubject.set(subject, nth);
    }
    lastOfAccount.set(row.account_id, nth);
  }
  return packs.map(({ subject, rows }) => ({ rows, publication: publicationOf(subject, rows) }));
}

const hasRoom = (pack: OpenPack | undefined, further: number): boolean =>
  pack !== undefined && pack.rows.length < mostTogether && pack.bytes + further <= mostBytes;

function publicationOf(subject: string, [first, ...others]: OutboxRow[]): Publication {
  const publication = toPublication(first!, subject);
  if (others.length > 0) {
    publication.data = Buffer.concat([publication.data, encodeAlso(others.map(envelopeOf))]);
    publication.headers.set(messageIdHeader, idOf([first!, ...others]));
  }
  return publication;
}

/** A relay that starts anew may gather the same events otherwise. JetStream must drop none of those then; the inbox of each consumer does. */
const idOf = (rows: readonly OutboxRow[]): string =>
  createHash('sha256')
    .update(rows.map(({ id }) => id).join())
    .digest('base64url');
