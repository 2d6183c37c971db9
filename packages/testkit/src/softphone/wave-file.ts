export interface Sound {
  seconds: number;
  /** Root mean square of 16-bit samples: silence is below 50, speech and tones are above 500. */
  loudness: number;
}

const HEADER_BYTES = 44;

/** Of a WAV file with 16-bit samples, also of one that is still being written. */
export function measureSound(content: Buffer): Sound {
  const samples = content.subarray(HEADER_BYTES);
  const count = Math.floor(samples.length / 2);
  if (count === 0) return { seconds: 0, loudness: 0 };
  const bytesPerSecond = content.readUInt16LE(22) * content.readUInt32LE(24) * 2;
  let sum = 0;
  for (let index = 0; index < count; index++) sum += samples.readInt16LE(index * 2) ** 2;
  return { seconds: samples.length / bytesPerSecond, loudness: Math.sqrt(sum / count) };
}

export interface Tone {
  /** Seconds from the beginning of the file: when it was heard first, and when last. */
  from: number;
  to: number;
  /** How long it was heard in all. */
  seconds: number;
}

const WINDOW_SECONDS = 0.05;
/** Of all that is heard at a moment, this much must be the tone. */
const SHARE = 0.15;

/** Where a tone of this frequency stands out (Goertzel's algorithm), of a file with one channel. Undefined: nowhere. */
export function findTone(content: Buffer, hertz: number): Tone | undefined {
  if (content.length <= HEADER_BYTES) return undefined;
  const rate = content.readUInt32LE(24);
  const size = Math.round(rate * WINDOW_SECONDS);
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  const heardAt: number[] = [];
  for (let start = HEADER_BYTES; start + size * 2 <= content.length; start += size * 2) {
    let [before, last, energy] = [0, 0, 0];
    for (let index = 0; index < size; index++) {
      const sample = content.readInt16LE(start + index * 2);
      [before, last] = [last, sample + coefficient * last - before];
      energy += sample ** 2;
    }
    const power = last ** 2 + before ** 2 - coefficient * last * before;
    // A pure tone has power = energy * size / 2.
    if (energy / size > 50 ** 2 && power > (SHARE * energy * size) / 2) {
      heardAt.push((start - HEADER_BYTES) / 2 / rate);
    }
  }
  const [from] = heardAt;
  return from === undefined
    ? undefined
    : { from, to: (heardAt.at(-1) ?? from) + WINDOW_SECONDS, seconds: heardAt.length * WINDOW_SECONDS };
}
