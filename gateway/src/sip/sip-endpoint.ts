import { unavailable } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import { upgradeRequired } from '../errors/http-error';

/** Refuses plain HTTP requests to a path of web phones, '/sip' or '/': they did not ask for an upgrade, or there is no switch. */
export function createSipEndpoint(path: string, isConfigured: boolean): Endpoint {
  return {
    method: 'GET',
    segments: [{ literal: path.slice(1) }],
    template: path,
    model: 'softphone',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    respond() {
      if (!isConfigured) {
        throw unavailable('There is no switch that a web phone could be connected to.');
      }
      throw upgradeRequired('This is a WebSocket for SIP; connect a web phone to it.');
    },
  };
}
