import { setTimeout as delay } from 'node:timers/promises';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Billing } from './clients/billing';
import type { Extensions } from './clients/extensions';
import { readCallRequest } from './domain/call-request';
import type { SwitchPlane } from './switch/port';

export interface WarmUpParts {
  extensions: Pick<Extensions, 'resolve'>;
  billing: Pick<Billing, 'connect'>;
  plane: Pick<SwitchPlane, 'isRegistered'>;
  phoneCountry: CountryCode;
}

const PATIENCE_MS = 1_000;

/**
 * Opens the connections that a call needs and runs its code once, so that the first call does not wait for that. Failures are
 * ignored: requests that need the missing part will report them.
 */
export async function warmUp({ extensions, billing, plane, phoneCountry }: WarmUpParts): Promise<void> {
  readCallRequest({ extension: '1000', called: '+5511987654321', metadata: '{}' }, { country: phoneCountry });
  const done = Promise.allSettled([
    extensions.resolve({ accountId: 0, ramal: '0' }),
    billing.connect(),
    plane.isRegistered({ domain: 'nobody.invalid', ramal: '0' }),
  ]);
  // Services start in any order: one that is not up yet is not waited for.
  const patience = new AbortController();
  await Promise.race([done, delay(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
}
