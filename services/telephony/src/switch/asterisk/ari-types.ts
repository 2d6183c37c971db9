// The parts of Asterisk 22's REST interface in use; all of it is in share/asterisk/rest-api/*.json of the package.

export type ChannelState = 'Down' | 'Rsrved' | 'OffHook' | 'Dialing' | 'Ring' | 'Ringing' | 'Up' | 'Busy' | 'Unknown';

export interface AriChannel {
  id: string;
  name: string;
  state: ChannelState;
  caller: { name: string; number: string };
  connected: { name: string; number: string };
  accountcode: string;
  dialplan: { context: string; exten: string; priority: number; app_name?: string; app_data?: string };
  /** SIP Call-ID. */
  protocol_id?: string;
  creationtime: string;
  /** The variables that ari.conf or the originator asked for. */
  channelvars?: Record<string, string>;
}

export interface AriBridge {
  id: string;
  bridge_type: string;
  channels: string[];
  creationtime: string;
}

export interface AriRecording {
  name: string;
  format: string;
  state: 'queued' | 'recording' | 'paused' | 'done' | 'failed' | 'canceled';
  target_uri: string;
  /** Seconds. */
  duration?: number;
  cause?: string;
}

export interface RtpStatistics {
  channel_uniqueid: string;
  txcount: number;
  rxcount: number;
  rxploss?: number;
  txploss?: number;
  rtt?: number;
}

interface Happening<T extends string> {
  type: T;
  application: string;
  timestamp: string;
}

export interface StasisStart extends Happening<'StasisStart'> {
  args: string[];
  channel: AriChannel;
  replace_channel?: AriChannel;
}
export interface ChannelStateChange extends Happening<'ChannelStateChange'> {
  channel: AriChannel;
}
/** The event to read causes from; tech_cause is the SIP status code. */
export interface ChannelDestroyed extends Happening<'ChannelDestroyed'> {
  channel: AriChannel;
  cause: number;
  cause_txt: string;
  tech_cause?: number;
}
/** A key was pressed. */
export interface ChannelDtmfReceived extends Happening<'ChannelDtmfReceived'> {
  channel: AriChannel;
  digit: string;
}
export interface Dial extends Happening<'Dial'> {
  peer: AriChannel;
  caller?: AriChannel;
  dialstatus: string;
}
export interface RecordingStarted extends Happening<'RecordingStarted'> {
  recording: AriRecording;
}
export interface RecordingFinished extends Happening<'RecordingFinished'> {
  recording: AriRecording;
}
/** Nothing was recorded: the file could not be opened, for example. */
export interface RecordingFailed extends Happening<'RecordingFailed'> {
  recording: AriRecording;
}
/** Another process has connected under the name of this application and gets its events from now on. */
export type ApplicationReplaced = Happening<'ApplicationReplaced'>;

/** Whatever a client has sent to the application itself. */
export type ChannelUserevent = Happening<'ChannelUserevent'>;

export type AriEvent =
  | StasisStart
  | ChannelStateChange
  | ChannelDestroyed
  | ChannelDtmfReceived
  | Dial
  | RecordingStarted
  | RecordingFinished
  | RecordingFailed
  | ApplicationReplaced
  | ChannelUserevent;

/** The event filter: Asterisk sends only these. Most others would report variables being set. */
export const wantedEvents = [
  'StasisStart',
  'ChannelStateChange',
  'ChannelDestroyed',
  'ChannelDtmfReceived',
  'Dial',
  'RecordingStarted',
  'RecordingFinished',
  'RecordingFailed',
  'ApplicationReplaced',
  'ChannelUserevent',
] as const satisfies readonly AriEvent['type'][];

export interface NewChannel {
  /** As in a dialplan: PJSIP/1000@domain, PJSIP/number@trunk. */
  endpoint: string;
  channelId: string;
  appArgs?: string;
  /** Codecs and rights are inherited from this channel. */
  originator?: string;
  /** Codecs, by name, in the order of preference. Excludes originator. */
  formats?: string;
  /** Also functions: 'CALLERID(num)', 'PJSIP_HEADER(add,Alert-Info)'. */
  variables?: Record<string, string>;
}

export interface OutgoingCall extends NewChannel {
  callerId?: string;
  /** Seconds until an unanswered call is given up. */
  timeout?: number;
}

export interface BridgeRecording {
  name: string;
  format: 'wav';
  maxDurationSeconds: number;
}
