import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** A CSV of rates, wherever it comes from. */
export interface RateSource {
  bytes: number;
  /** Its beginning, with at least the first line. */
  head: string;
  open(): Readable;
}

const HEAD_BYTES = 4_096;

export async function fileSource(file: string): Promise<RateSource> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.toString('utf8', 0, bytesRead);
    return { bytes: (await stat(file)).size, head, open: () => createReadStream(file) };
  } finally {
    await handle.close();
  }
}

export const textSource = (text: string): RateSource => ({
  bytes: Buffer.byteLength(text),
  head: text.slice(0, HEAD_BYTES),
  open: () => Readable.from([Buffer.from(text)]),
});
