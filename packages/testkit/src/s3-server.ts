import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { signatureFault, type S3Credentials } from './s3-signature';

export interface S3Server extends S3Credentials {
  endpoint: string;
  bucket: string;
  /** Key → content type. */
  objects: Map<string, string>;
  /** Requests, such as "PUT key", with the status of the answer. */
  requests: string[];
  /** Answers every request with this status; undefined: as usual. */
  refuse: ((method: string, key: string) => number | undefined) | undefined;
  /** Stops the server; start() brings it back with its objects. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The part of S3 that recordings need, checked strictly: every request must be signed, every content must have the hash it claims. */
export async function startS3Server({ bucket = 'recordings', now = () => new Date() } = {}): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'sabia-s3-'));
  const fileOf = (key: string): string => join(folder, createHash('sha256').update(key).digest('hex'));
  let server: Server | undefined;
  let port = 0;

  const s3: S3Server = {
    ...{
      accessKeyId: 'test-key',
      secretAccessKey: `secret-${randomUUID()}`,
      region: 'sa-east-1',
      bucket,
      endpoint: '',
    },
    objects: new Map(),
    requests: [],
    refuse: undefined,
    async start() {
      const created = createServer((request, response) => {
        void answer(request, response).catch(() => response.destroy());
      });
      await new Promise<void>((resolve) => created.listen(port, '127.0.0.1', resolve));
      ({ port } = created.address() as AddressInfo);
      server = created;
      s3.endpoint = `http://127.0.0.1:${port}`;
    },
    async stop() {
      const stopped = server;
      server = undefined;
      stopped?.closeAllConnections();
      await new Promise((resolve) => (stopped ? stopped.close(resolve) : resolve(undefined)));
    },
    async close() {
      await s3.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    const key = pathname.slice(`/${bucket}/`.length);
    response.once('finish', () => s3.requests.push(`${method} ${key} ${response.statusCode}`));
    const refusal = s3.refuse?.(method, key);
    const fault = signatureFault(request, s3, now());
    if (fault !== undefined) return fail(request, response, 403, fault);
    if (refusal !== undefined) return fail(request, response, refusal, 'InternalError');
    if (!pathname.startsWith(`/${bucket}/`)) return fail(request, response, 404, 'NoSuchBucket');
    if (method === 'PUT') return put(key, request, response);
    if (method === 'DELETE') {
      s3.objects.delete(key);
      await rm(fileOf(key), { force: true });
      response.writeHead(204).end();
      return;
    }
    return get(key, request, response);
  }

  async function put(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hash = createHash('sha256');
    const part = `${fileOf(key)}.${randomUUID()}`;
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    await pipeline(request, createWriteStream(part));
    const { size } = await stat(part);
    if (String(size) !== request.headers['content-length']) return fail(request, response, 400, 'IncompleteBody');
    if (hash.digest('hex') !== request.headers['x-amz-content-sha256']) {
      return fail(request, response, 400, 'XAmzContentSHA256Mismatch');
    }
    await rename(part, fileOf(key));
    s3.objects.set(key, request.headers['content-type'] ?? '');
    response.writeHead(200, { etag: '"x"' }).end();
  }

  async function get(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const contentType = s3.objects.get(key);
    if (contentType === undefined) return fail(request, response, 404, 'NoSuchKey');
    const { size } = await stat(fileOf(key));
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const [start, end] = first === undefined ? [0, size - 1] : [Number(first), Math.min(Number(last), size - 1)];
    const range = first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` };
    const headers = { 'content-type': contentType, 'content-length': end - start + 1, ...range };
    response.writeHead(first === undefined ? 200 : 206, headers);
    await pipeline(createReadStream(fileOf(key), { start, end }), response);
  }

  await s3.start();
  return s3;
}

function fail(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  request.resume();
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}
