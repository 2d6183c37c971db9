export type RegistrationKind = 'registered' | 'unregistered' | 'displaced';

export interface RegistrationEvent {
  kind: RegistrationKind;
  domain: string;
  ramal: string;
  at: Date;
  /** The SIP address of the softphone. */
  contact: string;
  userAgent: string | undefined;
  /** The softphone is a browser. */
  webrtc: boolean;
}
