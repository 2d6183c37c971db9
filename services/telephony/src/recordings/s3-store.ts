import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { audioFormats } from '../domain/recording-url';
import { audioName } from './audio-name';
import { createS3Client } from './s3-client';
import type { S3Config } from './s3-client';
import type { RecordingStore } from './store';

/** Time for the gateway to begin reading. */
const LOCATION_SECONDS = 300;

/** An S3-compatible bucket, which every replica and the gateway reach. */
export function createS3Store(config: S3Config): RecordingStore {
  const client = createS3Client(config);
  return {
    // S3 needs length and hash first, so the audio is spooled to disk.
    async put(name, { content, contentType }, format = 'wav') {
      const key = audioName(name, format);
      const folder = await mkdtemp(path.join(tmpdir(), 'sabia-recording-'));
      try {
        const file = path.join(folder, 'audio');
        const { size, sha256 } = await spool(content, file);
        await client.put(key, { content: createReadStream(file), contentType, size, sha256 });
        return { size };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    read: (name) => client.get(audioName(name, 'wav')),
    locationOf: (name, format = 'wav') => client.urlOf(audioName(name, format), LOCATION_SECONDS),
    async remove(name) {
      await Promise.all(audioFormats.map((format) => client.remove(audioName(name, format))));
    },
    close: () => client.close(),
  };
}

async function spool(content: Readable, file: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  return { size, sha256: hash.digest('hex') };
}
