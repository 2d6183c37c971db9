import type { HangupCause } from './hangup-cause';

export type CallType = 'outbound' | 'inbound' | 'internal';

export type CallStatus = 'queued' | 'ringing' | 'answered' | 'ended';

export interface Call {
  id: string;
  dialId: string | null;
  accountId: number;
  userId: number;
  domain: string;
  timeZone: string;
  type: CallType;
  status: CallStatus;
  from: string;
  to: string;
  /** The destination as the client wrote it; null for calls that no client of the API placed. */
  called: string | null;
  startedAt: Date;
  answeredAt: Date | null;
  endedAt: Date | null;
  /** Seconds from answer to end; null while the call lasts. */
  duration: number | null;
  hangupCause: HangupCause | null;
  hangupCauseCode: string | null;
  email: string;
  firstName: string;
  lastName: string;
  bina: string | null;
  /** 1/10000 real. */
  minutePrice: number | null;
  callPrice: number | null;
  billedSeconds: number | null;
  /** The text of a JSON object, as it was sent. */
  metadata: string;
  record: boolean;
  recordUrl: string | null;
  /** Of the request that placed it; null when its trace is not kept, or nobody asked for the call. */
  traceparent: string | null;
}

export type NewCall = Pick<
  Call,
  | 'id'
  | 'dialId'
  | 'accountId'
  | 'userId'
  | 'domain'
  | 'timeZone'
  | 'type'
  | 'from'
  | 'to'
  | 'called'
  | 'startedAt'
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'bina'
  | 'metadata'
  | 'record'
  | 'traceparent'
> & {
  /** The extension that makes the call, or is called. */
  ramal: string;
  /** Of a call that began on the switch: the leg it began with. */
  aChannel: string | null;
  /** Talking time that is paid for; null when nobody counts. */
  grantedSeconds: number | null;
};
