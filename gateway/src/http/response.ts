import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { hasBody, isAwaitingContinue } from './body';

/** Names and values in turn: the form that node:http writes without an object in between. */
export type HeaderList = readonly string[];

/** A body that is streamed, not held in memory. */
export interface Content {
  /** Undefined: not known beforehand. */
  length: number | undefined;
  /** Called at most once, and not for HEAD. */
  read(): Readable;
  /** Called instead of read() when the content is not sent. */
  discard(): void;
}

/** A body that is written as things happen, until either side ends it. */
export interface LiveBody {
  /** Called at most once, after the headers were sent. */
  begin(target: ServerResponse): void;
  /** Called instead of begin() when the client has gone. */
  discard(): void;
}

export interface HttpResponse {
  status: number;
  /** JSON unless contentType says otherwise; absent for 204. */
  body?: string | Buffer;
  /** Instead of a body; contentType is then required. */
  content?: Content;
  /** Instead of a body; contentType is then required. Not for HEAD. */
  stream?: LiveBody;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  /** Replaces the headers that every API response has. */
  base?: HeaderList;
}

export interface Outgoing {
  response: HttpResponse;
  /** Names and values in turn; sendResponse adds the headers of the body. */
  headers: string[];
  /** Ends the connection with this response. */
  close: boolean;
  bodyLimitBytes: number;
}

const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1024 * 1024;

/** Writes the response, in one piece unless it has content. For HEAD, Node itself leaves the body out. */
export function sendResponse(request: IncomingMessage, target: ServerResponse, outgoing: Outgoing): void {
  const { response, headers, close, bodyLimitBytes } = outgoing;
  if (target.headersSent || target.destroyed) {
    response.content?.discard();
    response.stream?.discard();
    return;
  }
  if (response.content !== undefined) {
    headers.push('content-type', response.contentType ?? 'application/octet-stream');
    if (response.content.length !== undefined) {
      headers.push('content-length', String(response.content.length));
    }
  } else if (response.stream !== undefined) {
    headers.push('content-type', response.contentType ?? 'application/octet-stream');
  } else if (response.body !== undefined) {
    headers.push('content-type', response.contentType ?? 'application/json; charset=utf-8');
    headers.push('content-length', String(Buffer.byteLength(response.body)));
  } else if (response.status !== 204) {
    headers.push('content-length', '0');
  }
  const unread = hasBody(request) && !request.readableEnded;
  const uninvited = unread && isAwaitingContinue(request);
  const oversized = unread && !uninvited && !isBounded(request, bodyLimitBytes);
  if (close || uninvited || oversized) {
    headers.push('connection', 'close');
  }
  target.writeHead(response.status, headers);
  if (response.content !== undefined) {
    sendContent(request, target, response.content);
    return;
  }
  if (response.stream !== undefined) {
    target.flushHeaders();
    response.stream.begin(target);
    return;
  }
  if (!oversized) {
    target.end(response.body);
    return;
  }
  // Closing while the client still sends would reset the connection and lose the response on its way. So the response
  // goes out first, the rest of the request is discarded for a moment, and then the connection ends.
  if (response.body !== undefined) {
    target.write(response.body);
  }
  discardRest(request, () => target.end());
}

/** A stream that fails midway ends the connection, so that the client notices the missing part. */
function sendContent(request: IncomingMessage, target: ServerResponse, content: Content): void {
  if (request.method === 'HEAD') {
    content.discard();
    target.end();
    return;
  }
  pipeline(content.read(), target, () => undefined);
}

/** Whether Node may read the rest of the body itself, so that the connection can be used again. */
function isBounded(request: IncomingMessage, limitBytes: number): boolean {
  return request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length']) <= limitBytes;
}

function discardRest(request: IncomingMessage, done: () => void): void {
  let size = 0;
  let finished = false;
  const finish = (): void => {
    if (!finished) {
      finished = true;
      clearTimeout(timer);
      request.off('data', onData);
      done();
    }
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > LINGER_BYTES) {
      finish();
    }
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.on('data', onData).once('end', finish).once('close', finish).once('error', finish);
  request.resume();
}
