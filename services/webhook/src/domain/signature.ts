import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

export const newSecret = (): Buffer => randomBytes(secretBytes);

/** As Standard Webhooks writes a secret. */
export const writeSecret = (secret: Buffer): string => `${prefix}${secret.toString('base64')}`;

export const rotationOverlapMs = 24 * 60 * 60 * 1000;

export interface Signed {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** One signature per secret that holds, so that a receiver may know either of them. */
export function sign(id: string, at: Date, body: string, secrets: readonly Buffer[]): Signed {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
