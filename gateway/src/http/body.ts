import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { InputType } from 'node:zlib';
import { badRequest, invalid } from '@sabia/service-kit/errors';
import getRawBody from 'raw-body';
import { ClientGone, payloadTooLarge, unsupportedMedia } from '../errors/http-error';
import { isEmptyArray, isObject, jsonObject, parseForm, plainObject } from '../transcoder/request/input';
import type { InputObject } from '../transcoder/request/input';

export interface BodyRequest {
  request: IncomingMessage;
  limitBytes: number;
  /** The resource that errors name. */
  model: string;
}

type Decompress = (input: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

const decompressors: Record<string, Decompress> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Reads, decompresses, decodes and parses the body; a missing body is an empty object. */
export async function readBody({ request, limitBytes, model }: BodyRequest): Promise<InputObject> {
  const bytes = await readBytes(request, limitBytes);
  const plain = await decompressed(bytes, request.headers['content-encoding'], limitBytes);
  const contentType = request.headers['content-type'] ?? '';
  return parseBody(decodeText(plain, contentType), contentType, model);
}

/** Fails as soon as the limit is passed, whatever length the client announced and however much more it sends. */
export async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (!hasBody(request)) {
    return Buffer.alloc(0);
  }
  const length = request.headers['content-length'];
  if (Number(length ?? 0) > limitBytes) {
    throw payloadTooLarge(limitBytes);
  }
  inviteBody(request);
  try {
    return await getRawBody(request, { length, limit: limitBytes });
  } catch (error) {
    if ((error as getRawBody.RawBodyError).type === 'entity.too.large') {
      throw payloadTooLarge(limitBytes);
    }
    throw new ClientGone('the client went away while sending its body');
  }
}

const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** For a client that sends its body only after a 100 Continue: a request that is refused then costs neither side the upload. */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  awaitingContinue.set(request, response);
}

export function isAwaitingContinue(request: IncomingMessage): boolean {
  return awaitingContinue.has(request);
}

function inviteBody(request: IncomingMessage): void {
  awaitingContinue.get(request)?.writeContinue();
  awaitingContinue.delete(request);
}

async function decompressed(bytes: Buffer, encoding: string | undefined, limitBytes: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (bytes.length === 0 || name === '' || name === 'identity') {
    return bytes;
  }
  if (!Object.hasOwn(decompressors, name)) {
    throw unsupportedMedia('The Content-Encoding must be gzip, deflate or br, or none.');
  }
  try {
    return await decompressors[name]!(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw payloadTooLarge(limitBytes);
    }
    throw badRequest('INVALID_JSON', `The body is not valid ${name}.`);
  }
}

function decodeText(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') {
    if (!isUtf8(bytes)) {
      throw badRequest('INVALID_JSON', 'The body is not valid UTF-8.');
    }
    const text = bytes.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  return decodeForeign(bytes, charset);
}

function decodeForeign(bytes: Buffer, charset: string): string {
  let decoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch {
    throw unsupportedMedia('The charset of the body is not known; send UTF-8.');
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest('INVALID_JSON', `The body is not valid ${charset}.`);
  }
}

/** Reads JSON whatever the content type claims, since many clients send none or a wrong one; a form if the type says so. */
export function parseBody(text: string, contentType: string, model: string): InputObject {
  if (text.trim() === '') {
    return plainObject({});
  }
  const isForm = /^\s*application\/x-www-form-urlencoded/i.test(contentType);
  if (isForm && !/^\s*[{["]/.test(text)) {
    return plainObject(parseForm(text));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (isForm) {
      return plainObject(parseForm(text));
    }
    throw badRequest('INVALID_JSON', `The body is not valid JSON${positionOf(error)}.`);
  }
  // PHP writes an empty object as [].
  if (isEmptyArray(value)) {
    return plainObject({});
  }
  if (!isObject(value)) {
    throw invalid(model, [{ field: 'body', code: 'type', message: 'must be a JSON object' }]);
  }
  return jsonObject(value, text);
}

/** Says where the JSON breaks without repeating the text, which may contain a password. */
function positionOf(error: unknown): string {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  return position === undefined ? '' : ` (at position ${position})`;
}
