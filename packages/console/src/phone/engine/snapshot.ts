import type { QualityReport } from './quality';

/** The connection to the switch. */
export type Line =
  | { state: 'loading' }
  /** The user has no extension yet. */
  | { state: 'no-extension' }
  /** Another tab of this browser is the phone. */
  | { state: 'elsewhere' }
  | { state: 'connecting' }
  | { state: 'registered' }
  /** `retryAt`: milliseconds of the clock of `Date.now`. */
  | { state: 'reconnecting'; why: LostReason; retryAt: number }
  | { state: 'refused'; why: RefusedReason };

export type LostReason = 'offline' | 'connection-lost' | 'no-response';
export type RefusedReason =
  /** The switch does not accept the password of the extension. */
  | 'credentials'
  /** A newer softphone has registered as the same extension. */
  | 'displaced'
  /** The extension could not be asked for at the API. */
  | 'api';

/** Why there is no sound from this side; each has words of its own about what to do. */
export type MicrophoneState =
  'unknown' | 'asking' | 'ready' | 'denied' | 'missing' | 'in-use' | 'insecure-page' | 'failed';

export type CallPhase =
  /** The API is asked to place the call. */
  | 'placing'
  /** The call exists; the other side has not answered yet. */
  | 'calling'
  /** Somebody calls this phone. */
  | 'ringing'
  | 'talking'
  /** The page was loaded anew, or lost its leg: the switch is asked to call this phone back into the call. */
  | 'rejoining';

export interface PhoneCall {
  /** Undefined while the call is being placed, and for calls of switches that do not tell it. */
  id: string | undefined;
  /** The number of this phone's leg, by which the API knows it from those before it. */
  leg: number | undefined;
  direction: 'incoming' | 'outgoing';
  /** Placed over the API by other software; this phone is only the caller's end of it. */
  placedElsewhere: boolean;
  number: string;
  name: string | undefined;
  phase: CallPhase;
  muted: boolean;
  /** Put on hold here. */
  held: boolean;
  /** Milliseconds of the clock of `Date.now`. */
  answeredAt: number | undefined;
  /** The way of the audio; `reconnecting` while another one is being looked for. */
  media: 'flowing' | 'reconnecting';
  /** The extension that is being called to take the call over. */
  transferringTo: string | undefined;
  quality: QualityReport | undefined;
}

export interface EndedCall {
  id: string | undefined;
  direction: 'incoming' | 'outgoing';
  number: string;
  name: string | undefined;
  answered: boolean;
  seconds: number;
  cause: EndCause;
  /** What the API said, for causes that begin with `api`. */
  message: string | undefined;
}

/** Somebody called during another call, and heard that this phone is busy. */
export interface MissedCall {
  number: string;
  name: string | undefined;
  at: number;
}

/** A hangup cause of the API (USER_BUSY …), or one that only the phone can know. */
export type EndCause =
  | { kind: 'hangup'; code: string }
  /** The API refused to place the call; `code` is that of its error. */
  | { kind: 'refused'; code: string }
  | { kind: 'phone'; code: 'declined' | 'no-microphone' | 'lost' | 'transferred' };

export interface AudioDevice {
  id: string;
  label: string;
}

export interface Devices {
  microphones: AudioDevice[];
  speakers: AudioDevice[];
  /** Empty: the default of the system. */
  microphoneId: string;
  speakerId: string;
  /** Not every browser lets a page choose where sound is played. */
  canChooseSpeaker: boolean;
}

export interface PhoneSnapshot {
  line: Line;
  extension: { ramal: string; domain: string } | undefined;
  microphone: MicrophoneState;
  call: PhoneCall | undefined;
  lastEnded: EndedCall | undefined;
  /** Until they are dismissed, the earliest first. */
  missed: MissedCall[];
  lastDialled: string | undefined;
  devices: Devices;
  /** Calls that other software places for this extension are answered without ringing. */
  answersClickToCall: boolean;
}

export const noDevices: Devices = {
  microphones: [],
  speakers: [],
  microphoneId: '',
  speakerId: '',
  canChooseSpeaker: false,
};
