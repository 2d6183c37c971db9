import createClient from 'openapi-fetch';
import { ApiError, connectionLost, toApiError } from './api-error';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

/** The cookie says who is asking; the header shows that the console itself asks, and not another site. */
export const consoleHeader = { 'X-Sabia-Console': '1' };

const client = createClient<paths>({ baseUrl: location.origin, headers: consoleHeader, credentials: 'same-origin' });

client.use({
  onError: ({ error }) => (error instanceof ApiError ? error : connectionLost()),
  async onResponse({ response }) {
    if (!response.ok) {
      const error = await toApiError(response);
      if (error.status === 401) signedOut.dispatchEvent(new Event('signed-out'));
      throw error;
    }
  },
});

/** Tells that the session has ended: it expired, was revoked, or the user logged out in another tab. */
export const signedOut = new EventTarget();

export const api = client;

/** The body of a successful response. Refusals were thrown as ApiError before this point. */
export async function bodyOf<T>(response: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  const { data } = await response;
  return data as NonNullable<T>;
}
