import type { Readable } from 'node:stream';
import type { Call } from '../domain/call';
import type { HangupCause } from '../domain/hangup-cause';
import type { LiveCall } from '../domain/live-call';

export interface ExtensionName {
  domain: string;
  ramal: string;
}

/** What a switch tells of a call. Telling it twice does no harm. */
export type SwitchEvent =
  /** A leg rings. */
  | { kind: 'ringing'; callId: string; at: Date }
  /** The destination has answered. */
  | { kind: 'answered'; callId: string; at: Date }
  | { kind: 'ended'; callId: string; at: Date; cause: HangupCause }
  /**
   * The switch does not have it any more, and nobody heard when it ended. The cause holds unless its history tells another.
   * `seenAt`: the last sign of life of the switch before that was found; not given: the latest there is.
   * `left`: a leg that was still there, so that its end says nothing.
   */
  | { kind: 'gone'; callId: string; call: LiveCall; cause: HangupCause; seenAt?: Date; left?: string }
  /** For the timeline of the call. */
  | { kind: 'leg'; callId: string; at: Date; message: string; detail?: object }
  /** A recording has begun, or it could not. */
  | { kind: 'recording'; callId: string; at: Date; begun: boolean }
  | { kind: 'recorded'; callId: string; at: Date };

/** Somebody called who was not asked to: a softphone dialled, or a carrier brings a call. */
export interface IncomingCall {
  channel: string;
  at: Date;
  from: { extension: ExtensionName } | { number: string };
  dialled: string;
}

export interface SwitchListener {
  onEvent(event: SwitchEvent): void;
  onIncoming(call: IncomingCall): void;
  /** Connected, for the first time or again: nobody knows what happened meanwhile. */
  onConnected(): void;
  /** Not connected any more, perhaps for a moment: nothing can be placed until it is known what comes next. */
  onLost(): void;
  /** Not to be reached for so long that another replica should try. What is on the switch may well go on. */
  onAbsent(): void;
}

/** What a switch has written down of a call. */
export interface CallHistory {
  answeredAt?: Date;
  end?: { at: Date; cause: HangupCause };
}

export interface RecordedAudio {
  /** As it comes: an hour of talking is 58 MB. */
  content: Readable;
  contentType: string;
  /** How long it must be to be all of the call. */
  wholeSeconds: number;
}

/** Whatever connects calls. Only `isRegistered`, `isReachable` and `historyOf` may be asked by those who do not drive it. */
export interface CallSwitch {
  readonly name: string;
  /** How long after the end of a call its audio is surely whole; `recorded` may say so earlier. */
  readonly recordingSettlesMs: number;
  isRegistered(extension: ExtensionName): Promise<boolean>;
  isReachable(): Promise<boolean>;

  start(listener: SwitchListener): Promise<void>;
  stop(): Promise<void>;

  /** Brings a call to the switch; all that follows comes as events. Rejects when the switch does not take it. */
  place(call: LiveCall): Promise<void>;
  /** Ends a call; its `ended` follows as an event. */
  hangUp(call: LiveCall, cause: HangupCause): Promise<void>;
  /** Lets those who talk hear that the call is about to be cut. */
  warn(call: LiveCall): Promise<void>;
  /** From now on the switch itself ends an answered call when its talking time is used up, even if nobody drives it by then. */
  limit(call: LiveCall): Promise<void>;
  /** Of a call that it no longer has, but for this leg; empty where it keeps nothing. */
  historyOf(call: LiveCall, left?: string): Promise<CallHistory>;
  /** The moment at which it has answered: whatever ended before that has been told. */
  pulse(): Promise<Date>;
  /** Turns somebody away who called. */
  refuse(channel: string, cause: HangupCause): Promise<void>;
  /** Compares what there should be with what there is: tells what was missed, goes on where it stopped, ends what has no call. */
  reconcile(calls: LiveCall[]): Promise<void>;

  /** The audio of a call that has ended; undefined: not there, or not yet. */
  fetchRecording(call: Call): Promise<RecordedAudio | undefined>;
  /** Once the audio is in the store. */
  dropRecording(callId: string): Promise<void>;
}

/** Why a call could not be brought to the switch. */
export class PlacingError extends Error {
  constructor(
    readonly hangupCause: HangupCause,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
