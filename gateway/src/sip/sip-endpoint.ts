import { unavailable } from '@sabia/service-kit/errors';
import type { Endpoint } from '../api';
import { upgradeRequired } from '../errors/http-error';

/** What is left of a path of web phones, '/sip' or '/', for requests that were not, or could not be, handed to the proxy. */
export function createSipEndpoint(path: string, isConfigured: boolean): Endpoint {
  return {
    method: 'GET',
    segments: [{ literal: path.slice(1) }],
    template: path,
    model: 'softphone',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    answer() {
      if (!isConfigured) {
        throw unavailable('There is no switch that a web phone could be connected to.');
      }
      throw upgradeRequired('This is a WebSocket for SIP; connect a web phone to it.');
    },
  };
}
