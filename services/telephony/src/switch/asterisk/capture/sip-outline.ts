import type { SipMessage } from '../../../domain/sip-message';

export interface SipOutline {
  callId: string;
  message: Omit<SipMessage, 'at'>;
}

/** Methods of calls; registrations, OPTIONS and subscriptions are none of a call's business. */
const ofCalls = new Set(['INVITE', 'ACK', 'BYE', 'CANCEL', 'PRACK', 'UPDATE', 'INFO', 'REFER']);
const LONGEST_HEAD = 8_192;
const LONGEST_REASON = 80;
const LONGEST_TAG = 16;

const request = /^([A-Z]+) \S+ SIP\/2\.0\r?\n/;
const response = /^SIP\/2\.0 ([1-6]\d\d)(?: ([^\r\n]*))?\r?\n/;
const callId = /\n(?:call-id|i)[ \t]*:[ \t]*([\x21-\x7e]{1,255})[ \t]*\r?\n/i;
const cseq = /\ncseq[ \t]*:[ \t]*(\d{1,10})[ \t]+([A-Z]+)[ \t]*\r?\n/i;
const from = /\n(?:from|f)[ \t]*:([^\r\n]*)/i;
/** What is not closed goes to the end: a search that began again at each opening would take the square of a hostile line's length. */
const quotedOrUri = /"(?:[^"\\]|\\.?)*(?:"|$)|<[^>]*(?:>|$)/g;
const tag = /;[ \t]*tag[ \t]*=[ \t]*([\x21-\x3a\x3c-\x7e]+)/i;
/** Control characters and halves of surrogate pairs among them: PostgreSQL takes neither. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/gu;

/** Reads the few fields that are kept. Undefined: not a SIP message of a call. */
export function outlineOf(payload: Buffer): SipOutline | undefined {
  const text = payload.toString('utf8', 0, LONGEST_HEAD);
  const end = text.search(/\r?\n\r?\n/);
  const head = end === -1 ? text : text.slice(0, end + 2);
  const [, method] = request.exec(head) ?? [];
  const [, status, reason = ''] = response.exec(head) ?? [];
  if (status === undefined && (method === undefined || !ofCalls.has(method))) {
    return undefined;
  }
  const [, id] = callId.exec(head) ?? [];
  const [, number, of] = cseq.exec(head) ?? [];
  const [, sender] = tag.exec((from.exec(head)?.[1] ?? '').replace(quotedOrUri, '')) ?? [];
  if (id === undefined || number === undefined || of === undefined || sender === undefined || !ofCalls.has(of)) {
    return undefined;
  }
  const start =
    status === undefined
      ? { method }
      : { status: Number(status), reason: copied(reason.slice(0, LONGEST_REASON).replace(unprintable, '')) };
  const message = { ...start, cseq: copied(`${number} ${of}`), tag: copied(sender.slice(-LONGEST_TAG)) };
  return { callId: copied(id), message };
}

/** A part of a string keeps the whole string in memory; a copy does not. */
const copied = (text: string): string => Buffer.from(text).toString();
