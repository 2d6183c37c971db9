import { gunzipSync, gzipSync } from 'node:zlib';
import type { HttpResponse } from '../http/response';
import type { OpenApiDocument } from './document';

export type ServeDocument = (acceptEncoding: string | undefined) => HttpResponse;

/** Builds the document when it is first asked for and keeps it compressed: few ask for it, and a gateway should start fast and stay small. */
export function serveDocument(build: () => OpenApiDocument): ServeDocument {
  let kept: Buffer | undefined;
  return (acceptEncoding) => {
    kept ??= gzipSync(JSON.stringify(build()));
    const headers = { vary: 'Accept-Encoding' };
    return acceptsGzip(acceptEncoding)
      ? { status: 200, body: kept, headers: { ...headers, 'content-encoding': 'gzip' } }
      : { status: 200, body: gunzipSync(kept), headers };
  };
}

const acceptsGzip = (accepted = ''): boolean =>
  /\bgzip\b/i.test(accepted) && !/\bgzip\s*;\s*q=0(\.0*)?\s*(,|$)/i.test(accepted);
