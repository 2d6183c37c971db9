const rate = 8_000;
const bytesPerSample = 2;

/** A WAV file of nothing: 8 kHz, mono, 16 bits, as Asterisk records. */
export function silentWave(seconds: number): Buffer {
  const dataBytes = Math.round(seconds * rate) * bytesPerSample;
  const file = Buffer.alloc(44 + dataBytes);
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
