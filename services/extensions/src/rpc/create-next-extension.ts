import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { CreateNextExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { StoredExtension } from '../domain/extension';
import { checkNextExtension } from '../domain/extension-input';
import type { NewExtension } from '../domain/extension-input';
import { Violations } from '@sabia/service-kit/validation/violations';
import { createBatches } from '../storage/batches';
import { lowestFreeNumbers } from '../storage/extensions';
import { writeExtensions } from './add-extension';
import type { Dependencies, Handler } from './dependencies';
import { toInput, toMessageFor, toReader } from './messages';

interface Order {
  wanted: Omit<NewExtension, 'ramal'>;
  caller: Caller;
}

const batchSize = 64;

export function createNextExtension(dependencies: Dependencies): Handler<'createNextExtension'> {
  const { database, turns, vault, phoneCountry } = dependencies;

  /** All of one account, which has one domain. */
  const write = (orders: Order[]): Promise<StoredExtension[]> =>
    database.transaction(async (tx) => {
      const { caller } = orders[0]!;
      const numbers = await lowestFreeNumbers(tx, caller.accountId, orders.length);
      const wanted = orders.map((order, index) => ({ ...order.wanted, ramal: numbers[index]! }));
      return writeExtensions(dependencies, tx, caller, wanted);
    });
  const batches = createBatches({ turns, batchSize, write });

  return async (request, context) => {
    const caller = requireCaller(context);
    const violations = new Violations();
    const wanted = checkNextExtension(violations, toInput(request), phoneCountry);
    violations.throwIfAny('extension');
    const extension = await batches.add(caller.accountId, { wanted, caller });
    return CreateNextExtensionResponse.fromPartial({ extension: toMessageFor(toReader(caller), extension, vault) });
  };
}
