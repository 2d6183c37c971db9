import { GetRecordingLinkRequest, GetRecordingLinkResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import type { Endpoint } from '../endpoints/endpoint';
import type { SendRpc } from '../clients/service-clients';
import { parseTemplate } from '../contract/http-rule';

const templates = ['/api/v1/calls/{id}/recording', '/api/v1/calls/{id}/recordings'];

/** Redirects the paths under which clients look for the audio of a call to its signed link, which players open without a token. */
export function createRecordingLinkEndpoints(getRecordingLink: SendRpc): Endpoint[] {
  return templates.map((template) => ({
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'call',
    access: 'TOKEN',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange, [id = '']) {
      await exchange.ignoreBody();
      const request = Buffer.from(GetRecordingLinkRequest.encode({ id }).finish());
      const { url } = GetRecordingLinkResponse.decode(await getRecordingLink(request, exchange.scope()));
      // Without the host, so that a client that uses another name or port of this gateway stays there.
      const { pathname, searchParams } = new URL(url);
      const { format } = exchange.query();
      if (typeof format === 'string') {
        searchParams.set('format', format);
      }
      const location = `${pathname}?${searchParams.toString()}`;
      return { status: 302, headers: { location, link: `<${pathname}>; rel="canonical"` } };
    },
  }));
}
