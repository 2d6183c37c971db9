import { Readable } from 'node:stream';
import { unavailable } from '@sabia/service-kit/errors';
import { Agent } from 'undici';
import type { RecordingSource } from './recording-source';

const CONNECT_TIMEOUT_MS = 3_000;
const SILENCE_TIMEOUT_MS = 10_000;
const CONNECTIONS = 64;

/** Reads recordings from an object store with the presigned URL that telephony gives, so the gateway keeps no credentials. */
export function createRecordingUrls(): RecordingSource {
  const agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });

  async function read(url: URL, start: number, end: number, signal: AbortSignal): Promise<Readable | undefined> {
    const headers = { range: `bytes=${start}-${end}` };
    const { origin, pathname, search } = url;
    const response = await agent
      .request({ origin, path: `${pathname}${search}`, method: 'GET', headers, signal })
      // The error of the client is dropped, because it could carry the URL into a log.
      .catch((error: unknown) => {
        throw unavailable(
          `The store of recordings cannot be reached: ${(error as { code?: string }).code ?? 'failed'}.`,
        );
      });
    // Some stores send a part with status 200, others ignore the range: the length tells which.
    if (response.statusCode < 300 && Number(response.headers['content-length']) === end - start + 1) {
      return response.body;
    }
    await response.body.dump();
    if (response.statusCode === 404) {
      return undefined;
    }
    throw unavailable(`The store of recordings answers ${response.statusCode}.`);
  }

  return {
    async find(location, size) {
      const url = new URL(location);
      return {
        size,
        open: async (start, end, signal) => (end >= start ? read(url, start, end, signal) : Readable.from([])),
        close: async () => undefined,
      };
    },
    close: () => agent.destroy(),
  };
}

export const isUrl = (location: string): boolean => /^https?:\/\//.test(location);
