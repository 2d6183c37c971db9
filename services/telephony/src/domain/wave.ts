const rate = 8_000;
const bytesPerSample = 2;
const headerBytes = 44;

/** How long a WAV file of this size is: 8 kHz, mono, 16 bits, as Asterisk records. */
export const secondsOfWave = (size: number): number => Math.max(0, size - headerBytes) / (rate * bytesPerSample);

/** A WAV file of silence: 8 kHz, mono, 16 bits, as Asterisk records. */
export function silentWave(seconds: number): Buffer {
  const dataBytes = Math.round(seconds * rate) * bytesPerSample;
  const file = Buffer.alloc(headerBytes + dataBytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * bytesPerSample, 28);
  file.writeUInt16LE(bytesPerSample, 32);
  file.writeUInt16LE(bytesPerSample * 8, 34);
  file.write('data', 36);
  file.writeUInt32LE(dataBytes, 40);
  return file;
}

export interface WaveHeader {
  sampleRate: number;
  channels: number;
  /** The samples that were read together with the header. */
  rest: Buffer;
}

/** Other chunks may precede the samples; a file with more than this before them was not recorded by a switch. */
const longestHeader = 64 * 1024;

/** Reads up to the first sample of 16 bits. */
export async function readWaveHeader(chunks: AsyncIterator<Buffer>): Promise<WaveHeader> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const header = parseHeader(bytes);
    if (header !== undefined) {
      return header;
    }
    const next = bytes.length > longestHeader ? undefined : await chunks.next();
    if (next === undefined || next.done === true) {
      throw new Error('the recording is not a WAV file with 16-bit samples');
    }
    bytes = Buffer.concat([bytes, next.value]);
  }
}

/** Undefined: the header is incomplete. */
function parseHeader(bytes: Buffer): WaveHeader | undefined {
  let format: Omit<WaveHeader, 'rest'> | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const begin = at + 8;
    if (name === 'data') {
      return format && { ...format, rest: bytes.subarray(begin) };
    }
    if (name === 'fmt ' && begin + 16 <= bytes.length) {
      const isPcm = bytes.readUInt16LE(begin) === 1 && bytes.readUInt16LE(begin + 14) === 16;
      format = isPcm
        ? { channels: bytes.readUInt16LE(begin + 2), sampleRate: bytes.readUInt32LE(begin + 4) }
        : undefined;
    }
    at = begin + length + (length % 2);
  }
  return undefined;
}
