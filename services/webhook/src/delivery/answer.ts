import type { Readable } from 'node:stream';

const shownBytes = 1024;
/** Read to the end up to this size, so that the connection can be used again; beyond it the connection is cut. */
const drainedBytes = 64 * 1024;
/** The status has come and decides; the body is a courtesy to whoever reads the log. */
const bodyLimitMs = 1_000;

/** The first KiB of the answer's body. Never rejects: an answer that breaks off has still been an answer. */
export async function readAnswer(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const cut = setTimeout(() => body.destroy(), bodyLimitMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (size < shownBytes) {
        chunks.push(chunk.subarray(0, shownBytes - size));
      }
      size += chunk.length;
      if (size > drainedBytes) {
        break;
      }
    }
  } catch {
    // What has arrived is what there is.
  } finally {
    clearTimeout(cut);
  }
  // PostgreSQL takes no NUL.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\ufffd');
}
