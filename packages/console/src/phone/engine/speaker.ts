/** Plays the other side's voice. */
export interface Speaker {
  play(stream: MediaStream): void;
  stop(): void;
  choose(deviceId: string): Promise<void>;
}

export function createSpeaker(): Speaker {
  const element = new Audio();
  element.autoplay = true;
  return {
    play(stream) {
      element.srcObject = stream;
      // Browsers let a page that uses the microphone play sound; where one does not, the next click does.
      element.play().catch(() => document.addEventListener('click', () => void element.play(), { once: true }));
    },
    stop() {
      element.pause();
      element.srcObject = null;
    },
    async choose(deviceId) {
      // A speaker that was unplugged: the system's choice is better than silence.
      await element.setSinkId?.(deviceId).catch(() => element.setSinkId(''));
    },
  };
}
