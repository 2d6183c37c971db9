export interface SipMessage {
  /** Only of a request. */
  method?: string;
  uri?: string;
  /** Only of an answer. */
  status?: number;
  /** By their long names in lower case; a repeated header has several values. */
  headers: ReadonlyMap<string, readonly string[]>;
  body: string;
}

const longNames: Record<string, string> = {
  v: 'via',
  f: 'from',
  t: 'to',
  i: 'call-id',
  m: 'contact',
  l: 'content-length',
  c: 'content-type',
};

/** Returns undefined for keep-alives and anything else that is not SIP. */
export function parseSip(text: string): SipMessage | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [start = '', ...lines] = head.split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const given = line.slice(0, colon).trim().toLowerCase();
    const name = longNames[given] ?? given;
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  const body = rest.join('\r\n\r\n');
  const [, status] = /^SIP\/2\.0 (\d{3})/.exec(start) ?? [];
  if (status !== undefined) return { status: Number(status), headers, body };
  const [, method, uri] = /^([A-Z]+) (\S+) SIP\/2\.0$/.exec(start) ?? [];
  return method === undefined ? undefined : { method, uri, headers, body };
}

export const headerOf = ({ headers }: SipMessage, name: string): string => headers.get(name)?.[0] ?? '';

export const tagOf = (address: string): string | undefined => /;tag=([^;>\s]+)/.exec(address)?.[1];

/** Identifies the transaction: an answer has the branch of its request. */
export const branchOf = (message: SipMessage): string => /;branch=([^;\s,]+)/.exec(headerOf(message, 'via'))?.[1] ?? '';

/** The part before the @: an extension or a number. */
export const userOf = (address: string): string => /sips?:([^@;>]+)@/.exec(address)?.[1] ?? '';

export interface SipAnswer {
  status: number;
  reason: string;
  /** The tag of our side of the dialogue. */
  tag: string;
  contact?: string;
  sdp?: string;
}

/** Headers that an answer copies from its request, in their order. */
export function answerTo(request: SipMessage, { status, reason, tag, contact, sdp = '' }: SipAnswer): string {
  const to = headerOf(request, 'to');
  const lines = [
    `SIP/2.0 ${status} ${reason}`,
    ...(request.headers.get('via') ?? []).map((via) => `Via: ${via}`),
    ...(request.headers.get('record-route') ?? []).map((route) => `Record-Route: ${route}`),
    `From: ${headerOf(request, 'from')}`,
    `To: ${tagOf(to) === undefined && status > 100 ? `${to};tag=${tag}` : to}`,
    `Call-ID: ${headerOf(request, 'call-id')}`,
    `CSeq: ${headerOf(request, 'cseq')}`,
    ...(contact === undefined ? [] : [`Contact: <${contact}>`]),
    ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(sdp)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${sdp}`;
}

export interface SipRequest {
  method: string;
  uri: string;
  headers: readonly string[];
}

export function requestOf({ method, uri, headers }: SipRequest): string {
  return [`${method} ${uri} SIP/2.0`, 'Max-Forwards: 70', ...headers, 'Content-Length: 0', '', ''].join('\r\n');
}
