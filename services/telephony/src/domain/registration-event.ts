export type RegistrationKind = 'registered' | 'unregistered' | 'displaced';

export interface RegistrationEvent {
  kind: RegistrationKind;
  domain: string;
  ramal: string;
  at: Date;
  /** Where the softphone that came or went is, or was. */
  contact: string;
  userAgent: string | undefined;
  /** The softphone is a browser. */
  webrtc: boolean;
}
