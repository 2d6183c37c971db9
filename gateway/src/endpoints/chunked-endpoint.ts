import { Readable } from 'node:stream';
import type { SendRpc } from '../clients/service-clients';
import type { Route } from '../contract/routes';
import type { Exchange } from '../http/exchange';
import { compileRequest } from '../transcoder/request/request-transcoder';
import { headOf } from './endpoint';
import type { Endpoint } from './endpoint';

interface Part {
  chunk: Buffer;
  cursor?: string;
}

/**
 * Serves a route whose response is made of many chunks, one rpc each. The next rpc is sent when the client has taken the chunk before, so that a
 * slow client costs neither memory here nor a connection of the database. An error after the first chunk breaks the connection off.
 */
export function createChunkedEndpoint(route: Route, contentType: string, sendRpc: SendRpc): Endpoint {
  const { requestType, responseType } = route.rpc;
  const encode = compileRequest(route);
  // A field that is on the wire twice has its last value.
  const continued = (request: Buffer, cursor: string): Buffer =>
    Buffer.concat([request, requestType.encode({ cursor }).finish()]);

  async function read(exchange: Exchange, request: Buffer): Promise<Part> {
    return responseType.decode(await sendRpc(request, exchange.scopeOfPart())) as unknown as Part;
  }

  async function* chunksFrom(first: Part, exchange: Exchange, request: Buffer): AsyncGenerator<Buffer> {
    let part = first;
    yield part.chunk;
    while (part.cursor) {
      part = await read(exchange, continued(request, part.cursor));
      if (part.chunk.length > 0) yield part.chunk;
    }
  }

  const headers: Record<string, string> =
    route.fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${route.fileName}"` };
  return {
    ...headOf(route),
    async respond(exchange, parameters) {
      await exchange.ignoreBody();
      const { bytes } = encode({ parameters, query: () => exchange.query() });
      // Read before the response begins, so that a refusal becomes an error response.
      const first = await read(exchange, bytes);
      return {
        status: route.successStatus,
        contentType: `${contentType}; charset=utf-8`,
        content: {
          length: undefined,
          read: () => Readable.from(chunksFrom(first, exchange, bytes), { objectMode: false }),
          discard: () => undefined,
        },
        headers,
      };
    },
  };
}
