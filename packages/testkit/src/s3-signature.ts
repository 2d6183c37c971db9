import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** Returns undefined for a right signature, else S3's error code. Written from the specification of version 4, not from a client. */
export function signatureFault(request: IncomingMessage, credentials: S3Credentials, now: Date): string | undefined {
  const url = new URL(request.url ?? '/', 'http://host');
  const signed = url.searchParams.has('X-Amz-Signature') ? fromQuery(url) : fromHeader(request);
  if (signed === undefined) return 'AccessDenied';
  const [accessKeyId, day = '', region = '', service, terminator] = signed.credential.split('/');
  if (accessKeyId !== credentials.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== credentials.region || service !== 's3' || terminator !== 'aws4_request')
    return 'AuthorizationHeaderMalformed';
  const at = Date.parse(signed.date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const age = (now.getTime() - at) / 1000;
  if (Number.isNaN(age) || day === '' || !signed.date.startsWith(day) || age > signed.goodForSeconds || age < -900)
    return 'AccessDenied';
  if (!signed.headers.includes('host')) return 'AccessDenied';

  const canonicalQuery = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const canonicalHeaders = signed.headers
    .map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
    .join('');
  const canonical = [
    request.method,
    url.pathname,
    canonicalQuery,
    canonicalHeaders,
    signed.headers.join(';'),
    signed.payload,
  ];
  const scope = [day, region, service, terminator].join('/');
  const text = ['AWS4-HMAC-SHA256', signed.date, scope, sha256(canonical.join('\n'))].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const right = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(signed.signature, 'hex');
  return given.length === right.length && timingSafeEqual(given, right) ? undefined : 'SignatureDoesNotMatch';
}

interface Signed {
  credential: string;
  date: string;
  headers: string[];
  signature: string;
  payload: string;
  goodForSeconds: number;
}

function fromQuery({ searchParams }: URL): Signed | undefined {
  if (searchParams.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return undefined;
  const get = (name: string): string => searchParams.get(`X-Amz-${name}`) ?? '';
  return {
    credential: get('Credential'),
    date: get('Date'),
    headers: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    payload: 'UNSIGNED-PAYLOAD',
    goodForSeconds: Number(get('Expires')),
  };
}

function fromHeader({ headers }: IncomingMessage): Signed | undefined {
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
    headers.authorization ?? '',
  );
  const payload = headers['x-amz-content-sha256'];
  const date = headers['x-amz-date'];
  if (parts === null || typeof payload !== 'string' || typeof date !== 'string') return undefined;
  const [, credential = '', names = '', signature = ''] = parts;
  return { credential, date, headers: names.split(';'), signature, payload, goodForSeconds: 900 };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
