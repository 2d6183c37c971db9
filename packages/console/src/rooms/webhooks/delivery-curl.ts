import { curlOf } from '../../components/curl';
import type { Attempt, Delivery } from './queries';

/** The request of the newest attempt, or the one that the first attempt will make. Undefined: it is not known what goes where. */
export function curlOfDelivery({ attempts, payload }: Delivery, url: string | null): string | undefined {
  if (url === null || payload === null) return undefined;
  const headers = headersOf(attempts.at(-1)) ?? { 'content-type': 'application/json' };
  return curlOf({ method: 'POST', url, headers, body: JSON.stringify(payload) });
}

/** Null: the headers of this attempt were not kept. */
export function headersOf(attempt: Attempt | undefined): Record<string, string> | null {
  const headers = attempt?.requestHeaders ?? null;
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
