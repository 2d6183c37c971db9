import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

export const newSecret = (): Buffer => randomBytes(secretBytes);

/** A secret in the notation of Standard Webhooks. */
export const writeSecret = (secret: Buffer): string => `${prefix}${secret.toString('base64')}`;

export const rotationOverlapMs = 24 * 60 * 60 * 1000;

/** Secrets that sign at a time: each adds 48 bytes to a header, and servers accept headers of a few KiB. */
export const mostSecrets = 10;

/** Headers as alternating names and values, with one signature per valid secret: a receiver may know any of them. */
export function sign(id: string, at: Date, body: string, secrets: readonly Buffer[]): string[] {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`);
  return [
    ...['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', signatures.join(' ')],
    ...[staticSignatureHeader, signBody(body, secrets)],
  ];
}

/** For receivers that compare one header with the HMAC of the body. It holds one signature, that of the newest secret. */
export const staticSignatureHeader = 'x-webhook-signature';

/** The HMAC key is the text of the secret as users see it and paste it into such receivers. */
function signBody(body: string, [newest]: readonly Buffer[]): string {
  const key = newest === undefined ? '' : writeSecret(newest);
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}
