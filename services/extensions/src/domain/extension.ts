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
  /** The latest registration, also after the softphone has unregistered. */
  registeredAt: Date | null;
}

/** The stored forms of the senha: encrypted for users who may see it, digested for Asterisk. */
export interface Credentials extends SealedSenha {
  ha1: string;
}

export interface StoredExtension extends Extension, Credentials {}

/** The fields that clients set, except the senha. */
export type ExtensionFields = Pick<
  Extension,
  'ramal' | 'bina' | 'binaAsSent' | 'firstName' | 'lastName' | 'emailAddress' | 'gravarAudio'
>;
