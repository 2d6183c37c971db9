export type Headers = Readonly<Record<string, string>>;

/** In every webhook, unless the integration configures others. */
export const defaultHeaders: Headers = { 'user-agent': 'Sabia-Webhooks/1.0', accept: '*/*' };
export const contentType: Headers = { 'content-type': 'application/json' };

const constant: Headers = { ...defaultHeaders, ...contentType };
/** Told by the delivery and by the time of the attempt. */
const derived = new Set(['webhook-id', 'webhook-timestamp']);
const ours = new Set(['webhook-signature', 'x-webhook-signature', 'traceparent']);

/**
 * The headers of a request that are stored with its attempt, from alternating names and values: those that cannot be told later. The
 * values of headers that the integration configures are not stored: any of them may be a credential. Those of our own are not secret.
 */
export function headersToKeep(sent: readonly string[]): Headers {
  const kept: Record<string, string> = {};
  for (let index = 0; index < sent.length; index += 2) {
    const [name, value] = [sent[index]!, sent[index + 1]!];
    if (value !== constant[name] && !derived.has(name)) {
      kept[name] = ours.has(name) ? value : '…';
    }
  }
  return kept;
}

export function headersAsSent(kept: Headers, { webhookId, at }: { webhookId: string; at: Date }): Headers {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return { ...constant, 'webhook-id': webhookId, 'webhook-timestamp': timestamp, ...kept };
}
