import { unavailable } from '@sabia/service-kit/errors';
import type { Endpoint } from '../api';
import { upgradeRequired } from '../errors/http-error';
import { parseTemplate } from '../transcoder/http-rule';
import { SIP_PATH } from './sip-proxy';

/** What is left of /sip for requests that were not, or could not be, handed to the proxy. */
export function createSipEndpoint(isConfigured: boolean): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(SIP_PATH),
    template: SIP_PATH,
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
