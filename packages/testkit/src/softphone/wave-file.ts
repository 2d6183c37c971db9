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
