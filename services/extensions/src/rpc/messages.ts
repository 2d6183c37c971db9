import { Role } from '@sabia/protos/sabia/api/v1/caller';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import type { CreateExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import type { Extension as DomainExtension, StoredExtension } from '../domain/extension';
import { maximumNameLength } from '../domain/extension-input';
import type { ExtensionDefaults, ExtensionInput } from '../domain/extension-input';
import { maySeeSenha } from '../domain/senha-reader';
import type { Reader } from '../domain/senha-reader';
import type { SenhaVault } from '../domain/senha-vault';

export const toReader = (caller: Caller): Reader => ({
  isAdmin: caller.role === Role.ADMIN,
  email: caller.email,
});

/** A single word is a first name. */
export function toDefaults({ userName = '', email }: Caller): ExtensionDefaults {
  const [firstName = '', ...others] = userName.trim().split(/\s+/);
  const name = { firstName: cut(firstName), lastName: cut(others.join(' ')) };
  return { emailAddress: email, ...name };
}

const cut = (text: string): string => text.slice(0, maximumNameLength);

export const toInput = (request: CreateExtensionRequest): ExtensionInput => ({
  ramal: request.ramal,
  senha: request.senha,
  bina: request.bina,
  firstName: request.first_name,
  lastName: request.last_name,
  emailAddress: request.email_address,
  gravarAudio: request.gravar_audio,
});

/** For services: without its senha, and with the bina in digits. */
export const toMessage = (extension: DomainExtension): Extension =>
  Extension.fromPartial({
    id: extension.id,
    domain: extension.domain,
    ramal: extension.ramal,
    bina: extension.bina ?? undefined,
    first_name: extension.firstName,
    last_name: extension.lastName,
    email_address: extension.emailAddress,
    gravar_audio: extension.gravarAudio,
    registered: extension.registered,
    registered_at: extension.registeredAt ?? undefined,
    name: `${extension.firstName} ${extension.lastName}`.trim(),
  });

/** For clients: with the bina as written, and with the senha if the caller may see it. */
export function toMessageFor(reader: Reader, extension: StoredExtension, vault: SenhaVault): Extension {
  const message = toMessage(extension);
  message.bina = extension.binaAsSent ?? message.bina;
  if (maySeeSenha(reader, extension)) {
    message.senha = vault.open(extension.accountId, extension);
  }
  return message;
}
