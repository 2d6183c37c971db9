import { sign } from 'aws4';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';

export interface S3Config {
  /** https://s3.sa-east-1.amazonaws.com, http://minio:9000; buckets are named in the path. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Prefix of every key; ends with a slash unless it is empty. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3Object {
  content: Readable;
  contentType: string;
  size: number;
  /** SHA-256 of the content in hex: the store rejects content that does not match. */
  sha256: string;
}

export interface S3Client {
  put(key: string, object: S3Object): Promise<void>;
  get(key: string): Promise<Readable>;
  /** Resolves even if there is no such object. */
  remove(key: string): Promise<void>;
  /** A signed URL that reads the object without further credentials. */
  urlOf(key: string, goodForSeconds: number): string;
  close(): Promise<void>;
}

export class S3Error extends Error {
  constructor(
    method: string,
    key: string,
    readonly status: number,
    /** The store's error code: AccessDenied, NoSuchBucket, … */
    readonly code: string,
  ) {
    super(`${method} ${key}: the store answers ${status} ${code}`);
  }
}

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** The part of S3 that recordings need, with signature version 4. */
export function createS3Client(config: S3Config): S3Client {
  const { region, accessKeyId, secretAccessKey } = config;
  const { origin, host, pathname } = new URL(config.endpoint);
  const base = `${pathname.replace(/\/+$/, '')}/${config.bucket}/${config.prefix}`;
  const credentials = { accessKeyId, secretAccessKey };
  const pool = new Pool(origin, {
    connections: 8,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });

  async function send(
    method: 'PUT' | 'DELETE' | 'GET',
    key: string,
    headers: Record<string, string>,
    body?: Readable,
  ): Promise<Readable> {
    const path = `${base}${key}`;
    const signed = sign({ service: 's3', region, host, method, path, headers }, credentials);
    const answer = await pool.request({ method, path, headers: signed.headers as Record<string, string>, body });
    if (answer.statusCode >= 300 && !(method === 'DELETE' && answer.statusCode === 404)) {
      const text = await answer.body.text();
      throw new S3Error(method, key, answer.statusCode, /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '');
    }
    return answer.body;
  }

  /** For responses whose body is of no interest. */
  const sendOnly = async (...request: Parameters<typeof send>): Promise<void> => {
    const body = await send(...request);
    await body.toArray();
  };

  return {
    async put(key, { content, contentType, size, sha256 }) {
      const headers = {
        'content-type': contentType,
        'content-length': String(size),
        'x-amz-content-sha256': sha256,
      };
      await sendOnly('PUT', key, headers, content);
    },
    get: (key) => send('GET', key, {}),
    async remove(key) {
      await sendOnly('DELETE', key, {});
    },
    urlOf(key, goodForSeconds) {
      const path = `${base}${key}?X-Amz-Expires=${goodForSeconds}`;
      const signed = sign({ service: 's3', region, host, method: 'GET', path, signQuery: true }, credentials);
      return `${origin}${signed.path}`;
    },
    close: () => pool.destroy(),
  };
}
