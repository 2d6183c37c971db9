import { bytesOf, isSigned } from './signature';
import type { WebhookBody } from './signature';
import type { WebhookEvent } from './webhook-event';

/** Headers as fetch has them, or as Node, Express and others do. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the time of the webhook may be off, in seconds; 300 unless it is set. */
  toleranceSeconds?: number;
  now?: Date;
}

/** The webhook is not to be trusted: answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly code: 'MISSING_HEADER' | 'WRONG_TIME' | 'WRONG_SIGNATURE',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Checks that Sabiá has sent this body, lately, and reads it. The body must be the bytes that came, before any parser has touched
 * them. Several secrets are tried in turn, for the day after a rotation.
 */
export async function verifyWebhook(
  body: WebhookBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('WRONG_TIME', 'The webhook was signed too long ago, or in the future.');
  }
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    if (await isSigned({ id, timestamp, body }, signatures, each)) {
      return JSON.parse(new TextDecoder().decode(bytesOf(body))) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError('WRONG_SIGNATURE', 'None of the signatures was made with the secret.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueOf(headers, name);
  if (value === null || value === '') throw new WebhookVerificationError('MISSING_HEADER', `${name} is missing.`);
  return value;
}

function valueOf(headers: Exclude<WebhookHeaders, Headers>, name: string): string {
  const [, value = ''] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value.join(' ');
}
