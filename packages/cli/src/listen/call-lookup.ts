import { setTimeout as delay } from 'node:timers/promises';
import { SabiaError } from '@sabia/client';
import type { Call, Sabia } from '@sabia/client';

/** The API answers 60 requests a minute for one call, and 15 for a list. Spread over the minute, nobody is kept waiting for its end. */
const AFTER_ONE_MS = 1_000;
const AFTER_LIST_MS = 4_000;
const LONGEST_WAIT_MS = 30_000;

/** Finds calls by their ids, in one request. Events have neither metadata nor links to recordings. */
export function createCallLookup(sabia: Sabia, signal: AbortSignal) {
  let notBefore = 0;
  const wait = (ms: number): Promise<void> => delay(Math.max(0, ms), undefined, { signal }).catch(() => undefined);

  async function ask(ids: readonly string[]): Promise<Call[]> {
    await wait(notBefore - Date.now());
    notBefore = Date.now() + (ids.length === 1 ? AFTER_ONE_MS : AFTER_LIST_MS);
    return ids.length === 1
      ? [await sabia.calls.get(ids[0]!, { signal })]
      : sabia.calls.list({ filter: { where: { id: { inq: ids } }, limit: ids.length }, signal }).take(ids.length);
  }

  /** Empty when the signal ended it. */
  return async (wanted: readonly string[]): Promise<Map<string, Call>> => {
    const ids = [...new Set(wanted)];
    for (let tries = 0; ids.length > 0 && !signal.aborted; tries += 1) {
      try {
        return new Map((await ask(ids)).map((call) => [call.id, call]));
      } catch (error) {
        // What may pass is waited for: an event that cannot be completed is not skipped.
        if (!signal.aborted && !mayPass(error)) throw error;
        await wait(Math.min(1_000 * 2 ** tries, LONGEST_WAIT_MS));
      }
    }
    return new Map();
  };
}

const mayPass = (error: unknown): boolean =>
  error instanceof SabiaError && (error.status === 0 || error.status === 429 || error.status >= 500);
