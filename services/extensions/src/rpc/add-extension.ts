import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Transact } from '@sabia/service-kit/postgres/answer-once';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { StoredExtension } from '../domain/extension';
import { checkNewExtension } from '../domain/extension-input';
import type { ExtensionInput, NewExtension } from '../domain/extension-input';
import { digestOf } from '../domain/senha';
import { Violations } from '@sabia/service-kit/validation/violations';
import { extensionCreated } from '../events/published';
import { insertExtensions } from '../storage/extensions';
import type { Dependencies } from './dependencies';
import { refuseBeyondLimit } from './extension-limit';
import { toDefaults } from './messages';
import { addTakenRamal, namingTakenRamal } from './taken-ramal';

/** For POST, and for PATCH without an existing extension. */
export async function addExtension(
  dependencies: Dependencies,
  caller: Caller,
  input: ExtensionInput,
  transact: Transact<StoredExtension> = (work) => dependencies.database.transaction(work),
): Promise<StoredExtension> {
  const { database, turns, phoneCountry } = dependencies;
  const { accountId } = caller;
  const violations = new Violations();
  const wanted = checkNewExtension(violations, input, toDefaults(caller), phoneCountry);
  await addTakenRamal(database, violations, { accountId, ramal: wanted.ramal });
  violations.throwIfAny('extension');
  const write = async (tx: Transaction): Promise<StoredExtension> => {
    const [extension] = await writeExtensions(dependencies, tx, caller, [wanted]);
    return extension!;
  };
  return namingTakenRamal(turns.run(accountId, () => transact(write)));
}

export async function writeExtensions(
  { outbox, vault, now }: Pick<Dependencies, 'outbox' | 'vault' | 'now'>,
  tx: Transaction,
  { accountId, domain }: Pick<Caller, 'accountId' | 'domain'>,
  wanted: NewExtension[],
): Promise<StoredExtension[]> {
  await refuseBeyondLimit(tx, accountId, wanted.length);
  const rows = wanted.map(({ senha, ...fields }) => ({
    ha1: digestOf({ ramal: fields.ramal, domain }, senha),
    accountId,
    domain,
    ...fields,
    ...vault.seal(accountId, senha),
  }));
  const extensions = await insertExtensions(tx, rows, now());
  await outbox.write(tx, extensions.map(extensionCreated));
  return extensions;
}
