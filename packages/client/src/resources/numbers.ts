import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type { RequestOptions } from '../request-options';

export function numbersOf(client: Client) {
  return {
    /** Those that belong to the account. */
    list: (options: RequestOptions = {}) => api.listAccountNumbers({ client, ...options }),

    /** Calls the number; whoever answers keys in the `code` of the answer. */
    prove: (number: string, options: RequestOptions = {}) =>
      api.startNumberProof({ client, body: { number }, ...options }),

    /** How far a proof is. */
    proof: (id: string, options: RequestOptions = {}) => api.getNumberProof({ client, path: { id }, ...options }),
  };
}
