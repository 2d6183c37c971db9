export interface LevelMeter {
  /** The loudness at this moment, 0 to 1, spread over the range of a speaking voice. */
  read(): number;
  close(): void;
}

const QUIETEST_DB = -60;
const LOUDEST_DB = -10;

export function createLevelMeter(stream: MediaStream): LevelMeter {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 1024;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    read() {
      analyser.getFloatTimeDomainData(samples);
      return levelOf(samples);
    },
    close: () => void context.close(),
  };
}

export function levelOf(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let nth = 0; nth < samples.length; nth++) sum += (samples[nth] ?? 0) ** 2;
  const decibels = 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-12);
  return Math.min(1, Math.max(0, (decibels - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB)));
}
