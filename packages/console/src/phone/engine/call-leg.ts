import type { IncomingRTCSessionEvent } from 'jssip/lib/UA';
import { createLeg } from './leg';
import type { Leg, LegOptions } from './leg';
import { MicrophoneError } from './microphone';

/** Microphone, speaker and ringtone. */
export interface Sound {
  /** Rejects with a MicrophoneError. */
  open(): Promise<MediaStream>;
  close(): void;
  play(stream: MediaStream): void;
  ring(rings: boolean): void;
}

export interface CallLegOptions extends Pick<LegOptions, 'isConnected' | 'onUp' | 'onMedia' | 'onEnded' | 'onLost'> {
  sound: Sound;
  iceServers: () => RTCIceServer[];
  /** Differs from call to call. */
  turn: () => number;
  onNoMicrophone: () => void;
}

/** This phone's end of its one call, and the microphone that speaks into it. */
export function createCallLeg(options: CallLegOptions) {
  const { sound, turn } = options;
  let leg: Leg | undefined;
  /** A leg without audio, kept until the switch has put another one in its place: its end would be the end of the call. */
  let lostLeg: Leg | undefined;
  let stream: MediaStream | undefined;

  function attach(event: IncomingRTCSessionEvent): Leg {
    const attached = createLeg({
      event,
      iceServers: options.iceServers(),
      isConnected: options.isConnected,
      onUp() {
        if (attached !== leg) return;
        lostLeg = undefined;
        options.onUp();
      },
      onSound: (heard) => attached === leg && sound.play(heard),
      onMedia: (media) => attached === leg && options.onMedia(media),
      onEnded(cause) {
        if (attached !== leg) return;
        leg = undefined;
        options.onEnded(cause);
      },
      onLost() {
        if (attached !== leg) return;
        lostLeg = leg;
        leg = undefined;
        options.onLost();
      },
    });
    return attached;
  }

  async function openMicrophone(): Promise<MediaStream | undefined> {
    const mine = turn();
    try {
      const opened = stream ?? (await sound.open());
      if (mine !== turn()) return undefined;
      stream = opened;
      return opened;
    } catch (error) {
      // Whatever it was, a call without a microphone is over; its phase must not stay where it is.
      if (mine === turn()) options.onNoMicrophone();
      if (!(error instanceof MicrophoneError)) reportError(error);
      return undefined;
    }
  }

  async function answer(): Promise<void> {
    const answering = leg;
    const opened = await openMicrophone();
    if (opened !== undefined && answering === leg) answering?.answer(opened);
  }

  return {
    exists: (): boolean => leg !== undefined,
    openMicrophone,
    answer,

    /** The switch calls; nobody has answered yet. */
    ring(event: IncomingRTCSessionEvent): void {
      sound.ring(true);
      leg = attach(event);
    },
    async pickUp(event: IncomingRTCSessionEvent): Promise<void> {
      leg = attach(event);
      await answer();
    },
    decline(): void {
      leg?.decline();
      leg = undefined;
    },
    letGo(): void {
      leg?.abandon();
      lostLeg?.abandon();
      leg = lostLeg = stream = undefined;
      sound.ring(false);
      sound.close();
    },

    setMuted: (muted: boolean) => leg?.setMuted(muted),
    /** False: there is no leg, or the switch cannot be asked at this moment. */
    setHeld: (held: boolean): boolean => leg?.setHeld(held) ?? false,
    sendTone: (tone: string) => leg?.sendTone(tone),
    async changeMicrophone(open: () => Promise<MediaStream>, muted: boolean): Promise<void> {
      if (leg === undefined || stream === undefined) return;
      const using = leg;
      stream = await open();
      await using.useMicrophone(stream, muted);
    },
    reconnect: () => leg?.reconnect(),
    statistics: async () => (await leg?.statistics()) ?? [],
  };
}
