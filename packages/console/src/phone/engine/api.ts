import type { Credentials } from './line';

/** What the API says of the user's phone. */
export interface PhoneAccess {
  /** Null: the user has no extension. */
  extension: Credentials | null;
  /** The WebSocket of web phones, on the host of the page. */
  websocketPath: string;
  /** STUN and TURN servers, where the network needs them. */
  iceServers: RTCIceServer[];
  /** When their credentials end. */
  iceServersExpireAt: string | null;
  /** The header by which an INVITE shows that its call was placed over the API for this phone. */
  autoAnswer: { header: string; contains: string };
}

/** The part of a call record that the phone looks at. */
export interface CallRecord {
  status: string;
  answered_at: string | null;
  hangup_cause: string | null;
}

/** What the phone asks of the API. Every method rejects with a Refusal. */
export interface PhoneApi {
  access(): Promise<PhoneAccess>;
  /** Creates an extension for a user who has none. */
  createExtension(): Promise<PhoneAccess>;
  placeCall(call: { extension: string; called: string }): Promise<{ id: string }>;
  /** Undefined: there is no such call. */
  findCall(id: string): Promise<CallRecord | undefined>;
  hangUp(id: string): Promise<void>;
  /** The page is being left: the call ends soon unless the phone is brought back into it. Nobody is there to hear an answer. */
  leave(id: string, left: { extension: string; leg: number | undefined }): void;
  /** Calls `to` in place of `from`; the same extension twice brings a phone back into its call. */
  transfer(id: string, parties: { from: string; to: string }): Promise<void>;
}

/** The API refused, or could not be reached. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
