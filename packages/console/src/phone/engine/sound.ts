import type { Sound } from './call-leg';
import { canChooseSpeaker, listDevices, watchDevices } from './devices';
import { createLevelMeter } from './level-meter';
import type { LevelMeter } from './level-meter';
import type { Memory } from './memory';
import { closeStream, MicrophoneError, openMicrophone } from './microphone';
import type { Subject } from './observable';
import { createRingtone } from './ringtone';
import type { PhoneSnapshot } from './snapshot';
import { createSpeaker } from './speaker';

export interface SoundBoxOptions {
  subject: Subject<PhoneSnapshot>;
  memory: Memory;
  /** The microphone of a call must be changed. */
  onMicrophoneChange: () => void;
}

export interface SoundBox extends Sound {
  /** Opens the microphone outside of a call, to ask for the permission and to show its level. */
  test(): Promise<void>;
  endTest(): void;
  /** 0 to 1; 0 while the microphone is closed. */
  level(): number;
  chooseMicrophone(id: string): void;
  chooseSpeaker(id: string): void;
  /** Opens the chosen microphone in place of the one in use. */
  reopen(): Promise<MediaStream>;
  stop(): void;
}

/** The devices of the phone: which there are, which are chosen, and what they are used for. */
export function createSoundBox({ subject, memory, onMicrophoneChange }: SoundBoxOptions): SoundBox {
  const speaker = createSpeaker();
  const ringtone = createRingtone();
  let stream: MediaStream | undefined;
  let meter: LevelMeter | undefined;
  const uses = new Set<'call' | 'test'>();
  let opening: Promise<MediaStream> | undefined;

  async function refresh(): Promise<void> {
    const found = await listDevices().catch(() => undefined);
    if (found === undefined) return;
    const { devices } = subject.get();
    subject.update({ devices: { ...devices, ...found, canChooseSpeaker: canChooseSpeaker() } });
    const inUse = stream?.getAudioTracks()[0];
    if (inUse?.readyState === 'ended' && uses.has('call')) onMicrophoneChange();
  }

  async function openStream(): Promise<MediaStream> {
    if (subject.get().microphone !== 'ready') subject.update({ microphone: 'asking' });
    try {
      const opened = await openMicrophone(subject.get().devices.microphoneId);
      closeStream(stream);
      meter?.close();
      stream = opened;
      meter = createLevelMeter(opened);
      opened.getAudioTracks()[0]?.addEventListener('ended', () => void refresh());
      subject.update({ microphone: 'ready' });
      void refresh();
      return opened;
    } catch (error) {
      subject.update({ microphone: error instanceof MicrophoneError ? error.state : 'failed' });
      throw error;
    }
  }

  async function take(purpose: 'call' | 'test'): Promise<MediaStream> {
    uses.add(purpose);
    if (stream !== undefined) return stream;
    opening ??= openStream().finally(() => (opening = undefined));
    const opened = await opening;
    // The permission may have been granted after the call, or the test, was over.
    if (uses.size === 0) leave(purpose);
    return opened;
  }

  /** An open microphone is shown by the browser, and is closed as soon as nothing needs it. */
  function leave(purpose: 'call' | 'test'): void {
    uses.delete(purpose);
    if (uses.size > 0) return;
    meter?.close();
    closeStream(stream);
    meter = stream = undefined;
  }

  const unwatch = watchDevices(() => void refresh());
  void speaker.choose(subject.get().devices.speakerId);
  ringtone.choose(subject.get().devices.speakerId);
  void refresh();

  return {
    open: () => take('call'),
    close() {
      speaker.stop();
      leave('call');
    },
    play: (heard) => speaker.play(heard),
    ring: (rings) => (rings ? ringtone.start() : ringtone.stop()),
    async test() {
      await take('test').catch(() => undefined);
    },
    endTest: () => leave('test'),
    level: () => meter?.read() ?? 0,
    chooseMicrophone(id) {
      memory.write({ microphoneId: id });
      subject.update({ devices: { ...subject.get().devices, microphoneId: id } });
      if (uses.has('call')) onMicrophoneChange();
      else if (uses.has('test')) void openStream().catch(() => undefined);
    },
    chooseSpeaker(id) {
      memory.write({ speakerId: id });
      subject.update({ devices: { ...subject.get().devices, speakerId: id } });
      ringtone.choose(id);
      void speaker.choose(id);
    },
    reopen: openStream,
    stop() {
      unwatch();
      ringtone.stop();
      speaker.stop();
      leave('test');
      leave('call');
    },
  };
}
