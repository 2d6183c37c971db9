import { signWebhook } from '@sabia/client';
import { setTimeout as delay } from 'node:timers/promises';

export interface Forwarded {
  status: number;
  latencyMs: number;
}

export interface ForwarderOptions {
  url: string;
  secret: string;
  signal: AbortSignal;
  /** The receiver did not answer; it is tried again. Told once until it answers. */
  onAway: (reason: string) => void;
}

/** As long as Sabiá waits for a receiver. */
const ANSWER_MS = 15_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/**
 * Sends a webhook as Sabiá does. Whatever the receiver answers counts: its developer sees it. One that does not answer is tried again
 * until it does, with the same id, so that nothing is lost while it is being restarted. Undefined when the signal ended it.
 */
export async function forward(id: string, body: string, options: ForwarderOptions): Promise<Forwarded | undefined> {
  for (let wait = FIRST_WAIT_MS; !options.signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const started = performance.now();
    try {
      const headers = { ...(await signWebhook(body, { id, secret: options.secret })) };
      const response = await fetch(options.url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'sabia-cli' },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await response.body?.cancel().catch(() => undefined);
      return { status: response.status, latencyMs: Math.round(performance.now() - started) };
    } catch (error) {
      if (wait === FIRST_WAIT_MS) options.onAway(reasonOf(error));
      await delay(wait, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
