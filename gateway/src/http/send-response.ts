import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Answer, Content } from './response';
import { hasBody } from './body';
import { isAwaitingContinue } from './expect-continue';

export interface Outgoing {
  answer: Answer;
  /** Names and values in turn; what the body needs is added to it. */
  headers: string[];
  close: boolean;
  bodyLimitBytes: number;
}

const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1024 * 1024;

/** Writes the answer, in one piece unless it is content. Node itself leaves the body out for HEAD. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, outgoing: Outgoing): void {
  const { answer, headers, close, bodyLimitBytes } = outgoing;
  if (response.headersSent || response.destroyed) {
    answer.content?.discard();
    return;
  }
  if (answer.content !== undefined) {
    headers.push('content-type', answer.contentType ?? 'application/octet-stream');
    headers.push('content-length', String(answer.content.length));
  } else if (answer.body !== undefined) {
    headers.push('content-type', answer.contentType ?? 'application/json; charset=utf-8');
    headers.push('content-length', String(Buffer.byteLength(answer.body)));
  } else if (answer.status !== 204) {
    headers.push('content-length', '0');
  }
  const unread = hasBody(request) && !request.readableEnded;
  const uninvited = unread && isAwaitingContinue(request);
  const oversized = unread && !uninvited && !isBounded(request, bodyLimitBytes);
  if (close || uninvited || oversized) {
    headers.push('connection', 'close');
  }
  response.writeHead(answer.status, headers);
  if (answer.content !== undefined) {
    sendContent(request, response, answer.content);
    return;
  }
  if (!oversized) {
    response.end(answer.body);
    return;
  }
  // Closing while the client still sends would reset the connection, and with it the answer that is on its way.
  // So the whole answer goes out first, the rest of the body is thrown away for a moment, and only then comes the end.
  if (answer.body !== undefined) {
    response.write(answer.body);
  }
  discard(request, () => response.end());
}

/** A reader that fails midway ends the connection: the client notices that something is missing. */
function sendContent(request: IncomingMessage, response: ServerResponse, content: Content): void {
  if (request.method === 'HEAD') {
    content.discard();
    response.end();
    return;
  }
  pipeline(content.read(), response, () => undefined);
}

/** A rest that Node may read to its end by itself, so that the connection can be used again. */
function isBounded(request: IncomingMessage, limitBytes: number): boolean {
  return request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length']) <= limitBytes;
}

function discard(request: IncomingMessage, done: () => void): void {
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
