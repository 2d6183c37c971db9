import { once } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { readWaveHeader } from '../domain/wave';
import type { WaveHeader } from '../domain/wave';

const workerFile = path.join(path.dirname(require.resolve('@sabia/telephony/package.json')), 'bin/mp3-encoder.mjs');
/** Kbit/s: enough for speech at 8 kHz, and a seventh of the size of the samples. */
const BITRATE = 16;

/** Encodes a WAV stream as MP3 in a worker thread. */
export function encodeMp3(wave: Readable): Readable {
  return Readable.from(encode(wave), { objectMode: false });
}

async function* encode(wave: Readable): AsyncGenerator<Buffer> {
  try {
    const chunks = wave[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    yield* encodeSamples(await readWaveHeader(chunks), chunks);
  } finally {
    wave.destroy();
  }
}

async function* encodeSamples(header: WaveHeader, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const { sampleRate, channels, rest } = header;
  const worker = new Worker(workerFile, { workerData: { sampleRate, channels, bitrate: BITRATE } });
  const failed = once(worker, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);

  async function send(samples: Buffer | null): Promise<Buffer> {
    worker.postMessage(samples);
    const [encoded] = (await Promise.race([once(worker, 'message'), failed])) as [Uint8Array];
    return Buffer.from(encoded);
  }

  try {
    const frame = 2 * channels;
    let left = rest;
    for (;;) {
      const whole = left.length - (left.length % frame);
      if (whole > 0) {
        yield await send(left.subarray(0, whole));
      }
      const next = await chunks.next();
      if (next.done === true) {
        break;
      }
      left = Buffer.concat([left.subarray(whole), next.value]);
    }
    yield await send(null);
  } finally {
    await worker.terminate();
  }
}
