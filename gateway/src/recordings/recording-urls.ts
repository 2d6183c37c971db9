import { Readable } from 'node:stream';
import { unavailable } from '@sabia/service-kit/errors';
import { Agent } from 'undici';
import type { RecordingSource } from './recording-source';

const CONNECT_TIMEOUT_MS = 3_000;
const SILENCE_TIMEOUT_MS = 10_000;
const CONNECTIONS = 64;

/** Recordings in an object store: telephony gives a URL with which they can be read for a while, so no credentials are kept here. */
export function createRecordingUrls(): RecordingSource {
  const agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });

  async function read(url: URL, start: number, end: number): Promise<Readable | undefined> {
    const range = { range: `bytes=${start}-${end}` };
    const { origin, pathname, search } = url;
    const answer = await agent
      .request({ origin, path: `${pathname}${search}`, method: 'GET', headers: range })
      // Nobody shall read in a log what the URL is.
      .catch((error: unknown) => {
        throw unavailable(
          `The store of recordings cannot be reached: ${(error as { code?: string }).code ?? 'failed'}.`,
        );
      });
    // Some stores send the part with status 200, others pass over the range: the length tells.
    if (answer.statusCode < 300 && Number(answer.headers['content-length']) === end - start + 1) {
      return answer.body;
    }
    await answer.body.dump();
    if (answer.statusCode === 404) {
      return undefined;
    }
    throw unavailable(`The store of recordings answers ${answer.statusCode}.`);
  }

  return {
    async find(location, size) {
      const url = new URL(location);
      return {
        size,
        open: async (start, end) => (end >= start ? read(url, start, end) : Readable.from([])),
        close: async () => undefined,
      };
    },
    close: () => agent.destroy(),
  };
}

export const isUrl = (location: string): boolean => /^https?:\/\//.test(location);
