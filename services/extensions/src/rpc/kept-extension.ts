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

/** How an answer about a new extension is kept for repetitions of its request: without the senha, which is stored sealed only. */
export function keptExtension({ database, vault }: Dependencies, caller: Caller, sentSenha: string | undefined) {
  const reader = toReader(caller);
  return {
    answer: (extension: StoredExtension): Answer => ({ extension: toMessageFor(reader, extension, vault) }),
    keep: (extension: StoredExtension): Answer => ({
      extension: toMessageFor({ isAdmin: false, email: '' }, extension, vault),
    }),
    /**
     * The repetition brings the senha along, or the extension has the one that was generated. That is read anew, and may be another's by
     * now: the reader must be allowed to see it today, too.
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
