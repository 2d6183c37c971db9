/** As Standard Webhooks describes: HMAC-SHA256 over id, timestamp and body, keyed with the secret's bytes. */
const encoder = new TextEncoder();

export type WebhookBody = string | ArrayBuffer | Uint8Array;

export interface SignedParts {
  id: string;
  /** Seconds since 1970. */
  timestamp: string;
  body: WebhookBody;
}

/** The headers that Sabiá sends with a webhook. */
export interface SignatureHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  'x-webhook-signature': string;
}

/** Signs a body as Sabiá does, for tests of receivers. */
export async function signWebhook(
  body: WebhookBody,
  { id, secret, at = new Date() }: { id: string; secret: string; at?: Date },
): Promise<SignatureHeaders> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = await hmac(secretBytes(secret), signedBytes({ id, timestamp, body }));
  const overBody = await hmac(encoder.encode(secret), bytesOf(body));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${toBase64(signature)}`,
    'x-webhook-signature': `sha256=${toHex(overBody)}`,
  };
}

/** Whether one of the signatures is that of the secret. Takes the same time for each wrong one. */
export async function isSigned(parts: SignedParts, signatures: readonly string[], secret: string): Promise<boolean> {
  const key = await importKey(secretBytes(secret), 'verify');
  const signed = signedBytes(parts);
  const results = signatures.map(async (text) => {
    const bytes = text.startsWith('v1,') ? fromBase64(text.slice('v1,'.length)) : undefined;
    return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
  });
  return (await Promise.all(results)).includes(true);
}

/** The bytes of a secret as the API shows it (`whsec_…`). */
function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) throw new TypeError('The secret must be as the API shows it: whsec_…');
  return bytes;
}

function signedBytes({ id, timestamp, body }: SignedParts): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${id}.${timestamp}.`);
  const tail = bytesOf(body);
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

export function bytesOf(body: WebhookBody): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
}

async function hmac(secret: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(secret, 'sign'), data));
}

function importKey(secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Undefined if it is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
