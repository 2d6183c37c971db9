import type { Extension } from './extension';

/** The caller, as far as the rules need it. */
export interface Reader {
  isAdmin: boolean;
  email: string;
}

/** ADMIN: every senha of the account; USER: those of extensions that carry the user's own e-mail. */
export function maySeeSenha(reader: Reader, extension: Pick<Extension, 'emailAddress'>): boolean {
  return reader.isAdmin || (reader.email !== '' && extension.emailAddress.toLowerCase() === reader.email.toLowerCase());
}
