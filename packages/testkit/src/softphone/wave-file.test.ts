import { findTone, measureSound } from './wave-file';

function wave(samples: number[], { channels = 1, rate = 8_000 } = {}): Buffer {
  const content = Buffer.alloc(44 + samples.length * 2);
  content.writeUInt16LE(channels, 22);
  content.writeUInt32LE(rate, 24);
  samples.forEach((sample, index) => content.writeInt16LE(sample, 44 + index * 2));
  return content;
}

test('measures length and loudness', () => {
  expect(measureSound(wave(Array.from({ length: 8_000 }, (_, index) => (index % 2 ? 1_000 : -1_000))))).toEqual({
    seconds: 1,
    loudness: 1_000,
  });
});

test('reads the rate and the number of channels', () => {
  const samples = Array.from({ length: 96_000 }, () => 0);
  expect(measureSound(wave(samples, { channels: 2, rate: 48_000 }))).toEqual({ seconds: 1, loudness: 0 });
});

test('nothing is silence', () => {
  expect(measureSound(wave([]))).toEqual({ seconds: 0, loudness: 0 });
});

test('finds a tone among others, and says from when to when', () => {
  const sine = (hertz: number, index: number) => Math.round(3_000 * Math.sin((2 * Math.PI * hertz * index) / 8_000));
  const samples = Array.from({ length: 16_000 }, (_, index) => {
    const isBeeping = index >= 8_000 && index < 9_600;
    return sine(440, index) + (isBeeping ? sine(1_400, index) : 0);
  });
  expect(findTone(wave(samples), 1_400)).toEqual({
    from: expect.closeTo(1) as number,
    to: expect.closeTo(1.2) as number,
    seconds: expect.closeTo(0.2) as number,
  });
  expect(findTone(wave(samples), 2_000)).toBeUndefined();
});
