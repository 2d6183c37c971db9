import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import type { StoredExtension } from '../domain/extension';
import { maySeeSenha } from '../domain/senha-reader';
import { findExtension } from '../storage/extensions';
import type { Dependencies } from './dependencies';
import { toMessageFor, toReader } from './messages';

interface Answer {
  extension: Extension | undefined;
}

/** The stored response for repetitions of a request: without the senha, which is stored encrypted only. */
export function keptExtension({ database, vault }: Dependencies, caller: Caller, sentSenha: string | undefined) {
  const reader = toReader(caller);
  return {
    answer: (extension: StoredExtension): Answer => ({ extension: toMessageFor(reader, extension, vault) }),
    keep: (extension: StoredExtension): Answer => ({
      extension: toMessageFor({ isAdmin: false, email: '' }, extension, vault),
    }),
    /**
     * The repeated request contains the senha, or it was generated and is read again. The extension may have another owner by now, so the
     * caller must still be allowed to see it.
     */
    async restore({ extension }: Answer): Promise<Answer> {
      if (extension === undefined || !maySeeSenha(reader, { emailAddress: extension.email_address })) {
        return { extension };
      }
      if (sentSenha) {
        return { extension: { ...extension, senha: sentSenha } };
      }
      const stored = await findExtension(database, caller.accountId, extension.id);
      return { extension: { ...extension, senha: stored && toMessageFor(reader, stored, vault).senha } };
    },
  };
}
