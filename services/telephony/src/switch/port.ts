import type { Readable } from 'node:stream';
import type { Call } from '../domain/call';
import type { HangupCause } from '../domain/hangup-cause';
import type { LiveCall, Side } from '../domain/live-call';
import type { SwitchNode } from '../domain/switch-node';
import type { LeaseTerm } from '../storage/lease-fence';

export interface ExtensionName {
  domain: string;
  ramal: string;
}

/** What a switch reports of a call. A repeated report does no harm. */
export type SwitchEvent =
  /** A leg rings. */
  | { kind: 'ringing'; callId: string; at: Date }
  /** The destination has answered. */
  | { kind: 'answered'; callId: string; at: Date }
  | { kind: 'ended'; callId: string; at: Date; cause: HangupCause }
  /**
   * The switch no longer has the call, and no replica saw it end. The cause holds unless the history of the call has another.
   * `seenAt`: when the switch was last seen before this was found; not given: when it was seen last.
   * `left`: a leg that was still there, so that its end is not the end of the call.
   * `wasCancelled`: see CallHistory; a replica saw it.
   */
  | {
      kind: 'gone';
      callId: string;
      call: LiveCall;
      cause: HangupCause;
      seenAt?: Date;
      left?: string;
      wasCancelled?: boolean;
    }
  /** An entry for the timeline of the call. */
  | { kind: 'leg'; callId: string; at: Date; message: string; detail?: object }
  /** The recording has begun, or could not. */
  | { kind: 'recording'; callId: string; at: Date; begun: boolean }
  | { kind: 'recorded'; callId: string; at: Date };

/** A call that began on the switch: a softphone has dialled, or a carrier delivers a call. */
export interface IncomingCall {
  channel: string;
  at: Date;
  from: { extension: ExtensionName } | { number: string };
  dialled: string;
}

export interface SwitchListener {
  /** No other replica can drive the switch at this moment. Nothing is done on the switch otherwise. */
  isEntitled(): boolean;
  readonly term: LeaseTerm;
  onEvent(event: SwitchEvent): void;
  onIncoming(call: IncomingCall): void;
  /** The first leg of a call that began on the switch has ended, though the call was not placed: the caller does not wait any longer. */
  onCallerGone(channel: string): void;
  /** Connected, for the first time or again: events may have been missed. */
  onConnected(): void;
  /** The connection is lost, perhaps for a moment: no call can be placed. */
  onLost(): void;
  /** Out of reach for so long that another replica should try. The calls on the switch may well go on. */
  onAbsent(): void;
}

/** What a switch has recorded of a call. */
export interface CallHistory {
  answeredAt?: Date;
  end?: { at: Date; cause: HangupCause };
  /** The caller picked up while no replica was connected, so that the switch ended the leg: nobody was called. */
  wasLetGo?: boolean;
  /** The leg that ended first rang, and was cancelled, but not by the switch. */
  wasCancelled?: boolean;
}

export interface RecordedAudio {
  /** A stream: an hour of talking is 58 MB. */
  content: Readable;
  contentType: string;
  /** How long the audio must be to cover the whole call. */
  wholeSeconds: number;
}

/** What does not depend on which switch of the fleet a call is on. */
export interface SwitchPlane {
  /** How long after the end of a call its audio is certainly complete; the event `recorded` may come earlier. */
  readonly recordingSettlesMs: number;
  isRegistered(extension: ExtensionName): Promise<boolean>;
  /** The history of a call of which its switch has at most the leg `left`; empty if the switch records nothing. */
  historyOf(call: LiveCall, left?: string): Promise<CallHistory>;
  /** The switches of the fleet at this moment. */
  listNodes(): Promise<SwitchNode[]>;
  open(node: SwitchNode): CallSwitch;
}

/** Connects calls. Replicas that do not drive it may use only `isReachable`. */
export interface CallSwitch {
  readonly name: string;
  readonly node: SwitchNode;
  isReachable(): Promise<boolean>;

  start(listener: SwitchListener): Promise<void>;
  /** Resolves when no call is halfway through a step that the switch would undo without a driver, or after so long. */
  settle(atMostMs: number): Promise<void>;
  stop(): Promise<void>;

  /** Places a call on the switch; everything that follows is reported as events. Rejects when the switch refuses the call. */
  place(call: LiveCall): Promise<void>;
  /** Ends a call; the event `ended` follows. */
  hangUp(call: LiveCall, cause: HangupCause): Promise<void>;
  /** Calls an extension, which takes over a leg of an answered call when it picks up; if it does not, nothing changes. */
  transfer(call: LiveCall, leg: { side: Side; to: string }): Promise<void>;
  /** Plays a tone to both parties: the call is about to be cut. */
  warn(call: LiveCall): Promise<void>;
  /** The switch will end an answered call by itself when its talking time is used up, even if no replica drives it by then. */
  limit(call: LiveCall): Promise<void>;
  /** The moment at which the switch responded: everything that ended before it has been reported. */
  pulse(): Promise<{ at: Date; isDraining: boolean }>;
  /** Whether the switch takes new calls. One that does not leaves the registration with carriers to another. */
  takesCalls(yes: boolean): void;
  /** The caller of a call that began on the switch, and is not placed yet, hears ringing; if it hangs up, `onCallerGone` follows. */
  hold(channel: string): Promise<void>;
  /** Refuses a call that began on the switch. */
  refuse(channel: string, cause: HangupCause): Promise<void>;
  /** Compares the live calls with the switch: reports missed events, continues unfinished steps, ends legs without a call. */
  reconcile(calls: LiveCall[]): Promise<void>;

  /** The audio of an ended call; undefined: the switch does not have it, or not yet. */
  fetchRecording(call: Call): Promise<RecordedAudio | undefined>;
  /** Deletes the audio on the switch, once it is in the store. */
  dropRecording(callId: string): Promise<void>;
  /** This replica will not use the switch again. */
  close(): Promise<void>;
}

/** The switch is away: nothing was asked of it. */
export class SwitchAwayError extends Error {}

/** Why a call could not be placed on the switch. */
export class PlacingError extends Error {
  constructor(
    readonly hangupCause: HangupCause,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
