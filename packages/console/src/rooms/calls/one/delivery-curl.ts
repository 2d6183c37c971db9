import type { Schemas } from '../../../api/client';
import { curlOf } from '../curl';

type Delivery = Schemas['Delivery'];
type Attempt = Delivery['attempts'][number];

/** The request of the newest attempt, or the one that the first attempt will make. Undefined: it is not known where it goes. */
export function curlOfDelivery({ attempts, integration, payload }: Delivery): string | undefined {
  const url = integration?.url;
  if (url === undefined || url === null || payload === null) return undefined;
  const headers = headersOf(attempts.at(-1)) ?? { 'content-type': 'application/json' };
  return curlOf({ method: 'POST', url, headers, body: JSON.stringify(payload) });
}

/** Null: the headers of this attempt were not kept. */
export function headersOf(attempt: Attempt | undefined): Record<string, string> | null {
  const headers = attempt?.requestHeaders ?? null;
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
