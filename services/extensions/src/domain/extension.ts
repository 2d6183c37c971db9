import type { SealedSenha } from './senha-vault';

export interface Extension {
  id: number;
  accountId: number;
  domain: string;
  ramal: string;
  /** E.164 digits. */
  bina: string | null;
  /** As the client wrote it; null when that is not known. */
  binaAsSent: string | null;
  firstName: string;
  lastName: string;
  emailAddress: string;
  gravarAudio: boolean;
  registered: boolean;
  /** The latest registration, also when the softphone has gone since. */
  registeredAt: Date | null;
}

/** The senha in the two forms in which it is kept: sealed for those who may see it, digested for Asterisk. */
export interface Credentials extends SealedSenha {
  ha1: string;
}

export interface StoredExtension extends Extension, Credentials {}

/** The part that an account decides on, but for the senha. */
export type ExtensionFields = Pick<
  Extension,
  'ramal' | 'bina' | 'binaAsSent' | 'firstName' | 'lastName' | 'emailAddress' | 'gravarAudio'
>;
