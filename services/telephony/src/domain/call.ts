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
  /** The destination as the client wrote it; null if the call was not placed through the API. */
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
  /** Of the request that placed the call; null if its trace is not sampled, or the call began on the switch. */
  traceparent: string | null;
}

/** What a list tells about a call. */
export type ListedCall = Omit<
  Call,
  'dialId' | 'accountId' | 'userId' | 'timeZone' | 'hangupCauseCode' | 'record' | 'traceparent'
>;

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
  /** The first leg of a call that began on the switch; null if it was placed through the API. */
  aChannel: string | null;
  /** Talking time that is paid for; null for calls that cost nothing. */
  grantedSeconds: number | null;
};
