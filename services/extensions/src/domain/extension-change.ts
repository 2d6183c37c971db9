import { denied } from '@sabia/service-kit/errors';
import type { ExtensionFields, StoredExtension } from './extension';
import type { ExtensionChange } from './extension-input';
import { isSenhaOf } from './senha';
import { maySeeSenha } from './senha-reader';
import type { Reader } from './senha-reader';

export interface PlannedChange {
  fields: ExtensionFields;
  ramalChanged: boolean;
  senhaChanged: boolean;
  /** True if any field changes. */
  changed: boolean;
}

/** A client may send the whole extension back: only a different value counts as a change. */
export function planChange(current: StoredExtension, change: ExtensionChange, reader: Reader): PlannedChange {
  const fields: ExtensionFields = {
    ramal: change.ramal ?? current.ramal,
    // null is a value here: it removes the bina.
    bina: change.bina === undefined ? current.bina : change.bina,
    binaAsSent: change.binaAsSent === undefined ? current.binaAsSent : change.binaAsSent,
    firstName: change.firstName ?? current.firstName,
    lastName: change.lastName ?? current.lastName,
    emailAddress: change.emailAddress ?? current.emailAddress,
    gravarAudio: change.gravarAudio ?? current.gravarAudio,
  };
  const senhaChanged = change.senha !== undefined && !isSenhaOf(current, change.senha);
  const names = Object.keys(fields) as (keyof ExtensionFields)[];

  // Otherwise a user could read any senha by writing the own e-mail on the extension.
  if (!senhaChanged && maySeeSenha(reader, fields) && !maySeeSenha(reader, current)) {
    throw denied();
  }
  return {
    fields,
    ramalChanged: fields.ramal !== current.ramal,
    senhaChanged,
    changed: senhaChanged || names.some((name) => fields[name] !== current[name]),
  };
}
