import { Sabia, createSend } from '@sabia/client';
import type { TransportOptions } from '@sabia/client';
import { learnServerTime } from './server-clock';

/** The cookie says who is asking; the header shows that the console itself asks, and not another site. */
export const consoleHeader = { 'X-Sabia-Console': '1' };

/** Tells that the session has ended: it expired, was revoked, or the user logged out in another tab. */
export const signedOut = new EventTarget();

const asConsole: TransportOptions = {
  headers: consoleHeader,
  // The pages decide what is asked again (query-client.ts).
  retries: 0,
  async fetch(request) {
    const response = await fetch(request);
    learnServerTime(response);
    if (response.status === 401) signedOut.dispatchEvent(new Event('signed-out'));
    return response;
  },
};

/** The API of the gateway that served the page, under the user's session. Refusals are thrown as SabiaError. */
export const sabia = new Sabia({ baseUrl: location.origin, ...asConsole });

/** For what is not JSON. */
export const send = createSend(asConsole);
