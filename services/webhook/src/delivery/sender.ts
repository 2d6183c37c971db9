import type { Attempt } from '../domain/outcome';
import { writeReason } from '../domain/reason';
import { readRetryAfter } from '../domain/retry-schedule';
import { sign } from '../domain/signature';
import { WebhookRequest } from './webhook-request';
import type { Ending } from './webhook-request';
import { describeError } from './failure-text';
import { createGuardedConnector } from './guarded-connector';
import type { Lookup } from './host-lookup';
import { createOriginPools } from './origin-pools';
import type { Target } from './target';

export interface Webhook {
  webhookId: string;
  body: string;
  /** Sent to the receiver, unless the configured headers contain a traceparent. */
  traceparent: string | undefined;
}

export interface Sender {
  /** Calls back once, with undefined when the sender was closed first. */
  send(webhook: Webhook, target: Target, done: (attempt: Attempt | undefined) => void): void;
  /** Gives up the requests under way. */
  close(): Promise<void>;
}

export interface SenderOptions {
  allowPrivate: boolean;
  timeoutMs: number;
  now: () => Date;
  lookup?: Lookup;
  ca?: string;
}

/** One timer for all requests under way: a timer for each would cost more than checking them all. */
const tickMs = 50;

export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, now } = options;
  const pools = createOriginPools(createGuardedConnector(options));
  const underWay = new Set<WebhookRequest>();
  let closed = false;
  const clock = setInterval(() => {
    const at = performance.now();
    underWay.forEach((each) => each.checkTime(at, timeoutMs));
  }, tickMs).unref();

  function toAttempt(at: Date, headers: readonly string[], ending: Ending): Attempt {
    if ('late' in ending) {
      const error = writeReason('NO_ANSWER', { seconds: timeoutMs / 1000 });
      return { at, headers, latencyMs: ending.latencyMs, error };
    }
    if ('error' in ending) {
      return { at, headers, latencyMs: ending.latencyMs, error: describeError(ending.error) };
    }
    const { status, latencyMs, text, retryAfter } = ending.response;
    const attempt: Attempt = { at, headers, latencyMs, status, answer: text };
    if (retryAfter !== undefined) {
      attempt.retryAfterMs = readRetryAfter(retryAfter, now());
    }
    if (status >= 300 && status < 400) {
      attempt.error = writeReason('REDIRECTED', { status });
    }
    return attempt;
  }

  return {
    send({ webhookId, body, traceparent }, { origin, path, headers, namesTrace, secrets }, done) {
      const at = now();
      const entry = pools.of(origin);
      entry.busy += 1;
      const signed = [...headers, ...sign(webhookId, at, body, secrets)];
      if (traceparent !== undefined && !namesTrace) {
        signed.push('traceparent', traceparent);
      }
      const request = new WebhookRequest((ending) => {
        underWay.delete(request);
        entry.busy -= 1;
        entry.usedAt = performance.now();
        done(closed ? undefined : toAttempt(at, signed, ending));
      });
      underWay.add(request);
      const post = { method: 'POST' as const, path, headers: signed, body };
      try {
        entry.pool.dispatch(post, request);
      } catch (error) {
        request.fail(error);
      }
    },
    async close() {
      closed = true;
      clearInterval(clock);
      underWay.forEach((each) => each.fail(new Error('closing')));
      await pools.close();
    },
  };
}
