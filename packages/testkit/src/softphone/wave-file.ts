export interface Sound {
  seconds: number;
  /** Root mean square of 16-bit samples: silence is below 50, speech and tones are above 500. */
  loudness: number;
}

const HEADER_BYTES = 44;

/** Measures a WAV file with 16-bit samples, even one that is still being written. */
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
  /** Seconds from the beginning of the file to the first and to the last moment of the tone. */
  from: number;
  to: number;
  /** Total seconds of the tone. */
  seconds: number;
}

const WINDOW_SECONDS = 0.05;
/** The share of the power at a moment that must be the tone's. */
const SHARE = 0.15;

/** Finds a tone of this frequency (Goertzel's algorithm) in a file with one channel. Undefined: there is none. */
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
