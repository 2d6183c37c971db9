import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { denied } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { Violations } from '@sabia/service-kit/validation/violations';
import type { StoredExtension } from '../domain/extension';
import { checkNextExtension } from '../domain/extension-input';
import { findExtensionOfUser, lowestFreeNumbers } from '../storage/extensions';
import { writeExtensions } from './add-extension';
import type { Dependencies, Handler } from './dependencies';
import { toDefaults } from './messages';
import { toPhone } from './phone';

export function createPhone(dependencies: Dependencies): Handler<'createPhone'> {
  const { database, turns, phoneCountry } = dependencies;

  async function findOrWrite(tx: Transaction, caller: Caller): Promise<StoredExtension> {
    // Locks the numbers of the account: of two requests at once, the second finds the extension of the first.
    const [ramal] = await lowestFreeNumbers(tx, caller.accountId, 1);
    const existing = await findExtensionOfUser(tx, caller.accountId, caller.email);
    if (existing !== undefined) {
      return existing;
    }
    const violations = new Violations();
    const wanted = checkNextExtension(violations, {}, toDefaults(caller), phoneCountry);
    violations.throwIfAny('extension');
    const [extension] = await writeExtensions(dependencies, tx, caller, [{ ...wanted, ramal: ramal! }]);
    return extension!;
  }

  return async (_request, context) => {
    const caller = requireCaller(context);
    const { accountId, email } = caller;
    if (email === '') {
      throw denied('Confirm your e-mail address first: it says which extension is yours.');
    }
    const extension =
      (await findExtensionOfUser(database, accountId, email)) ??
      (await turns.run(accountId, () => database.transaction((tx) => findOrWrite(tx, caller))));
    return { phone: toPhone(dependencies, caller, extension) };
  };
}
