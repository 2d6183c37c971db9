export interface Ringtone {
  start(): void;
  stop(): void;
  choose(deviceId: string): void;
}

const PATTERN_SECONDS = 3;
/** Two short rings, then a pause: the call of the thrush, nearly. Hertz, and seconds from the start of the pattern. */
const notes = [
  { hertz: 659, at: 0, lasts: 0.18 },
  { hertz: 784, at: 0.2, lasts: 0.28 },
  { hertz: 659, at: 0.75, lasts: 0.18 },
  { hertz: 784, at: 0.95, lasts: 0.28 },
];
const VOLUME = 0.2;

/** Made of oscillators, so that no file has to be fetched. A page that was never clicked stays silent: browsers insist. */
export function createRingtone(): Ringtone {
  let context: AudioContext | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let sinkId = '';

  function ringOnce(audio: AudioContext): void {
    for (const { hertz, at, lasts } of notes) {
      const begin = audio.currentTime + at;
      const gain = new GainNode(audio, { gain: 0 });
      gain.gain.setTargetAtTime(VOLUME, begin, 0.01);
      gain.gain.setTargetAtTime(0, begin + lasts, 0.05);
      const oscillator = new OscillatorNode(audio, { frequency: hertz, type: 'triangle' });
      oscillator.connect(gain).connect(audio.destination);
      oscillator.start(begin);
      oscillator.stop(begin + lasts + 0.4);
    }
  }

  return {
    start() {
      if (timer !== undefined) return;
      const audio = new AudioContext();
      context = audio;
      if ('setSinkId' in audio) void (audio.setSinkId as (id: string) => Promise<void>)(sinkId).catch(() => undefined);
      ringOnce(audio);
      timer = setInterval(() => ringOnce(audio), PATTERN_SECONDS * 1000);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
      void context?.close();
      context = undefined;
    },
    choose(deviceId) {
      sinkId = deviceId;
    },
  };
}
