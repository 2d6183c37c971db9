export interface RequestOptions {
  /** Gives the request up. */
  signal?: AbortSignal;
}

export interface KeyedRequestOptions extends RequestOptions {
  /** The same key does the same thing once. A new one unless it is set, so that retries are safe. */
  idempotencyKey?: string;
}

/** For routes that honour an Idempotency-Key. */
export function keyed({ signal, idempotencyKey = newKey() }: KeyedRequestOptions) {
  return { signal, headers: { 'Idempotency-Key': idempotencyKey } };
}

/** Random; crypto.randomUUID is missing on pages without HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
