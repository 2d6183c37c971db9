import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { CreateNextExtensionRequest, CreateNextExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { answerOnce } from '@sabia/service-kit/postgres/answer-once';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { Violations } from '@sabia/service-kit/validation/violations';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { StoredExtension } from '../domain/extension';
import { checkNextExtension } from '../domain/extension-input';
import type { NewExtension } from '../domain/extension-input';
import { lowestFreeNumbers } from '../storage/extensions';
import { writeExtensions } from './add-extension';
import type { Dependencies, Handler } from './dependencies';
import { keptExtension } from './kept-extension';
import { toDefaults, toInput } from './messages';

interface Order {
  wanted: Omit<NewExtension, 'ramal'>;
  caller: Caller;
}

const batchSize = 64;

export function createNextExtension(dependencies: Dependencies): Handler<'createNextExtension'> {
  const { database, turns, phoneCountry, now } = dependencies;

  /** All orders belong to one account, which has one domain. */
  async function write(tx: Transaction, orders: Order[]): Promise<StoredExtension[]> {
    const { caller } = orders[0]!;
    const numbers = await lowestFreeNumbers(tx, caller.accountId, orders.length);
    const wanted = orders.map((order, index) => ({ ramal: numbers[index]!, ...order.wanted }));
    return writeExtensions(dependencies, tx, caller, wanted);
  }
  const batcher = createBatcher({
    batchSize,
    keyOf: ({ caller }) => caller.accountId,
    inTurn: ({ caller }, writeBatch) => turns.run(caller.accountId, writeBatch),
    write: (orders: Order[]) => database.transaction((tx) => write(tx, orders)),
  });

  return async (request, context) => {
    const caller = requireCaller(context);
    const messages = { request, Request: CreateNextExtensionRequest, Response: CreateNextExtensionResponse };
    return answerOnce(
      { database, now, context, ...messages },
      {
        act(transact) {
          const violations = new Violations();
          const wanted = checkNextExtension(violations, toInput(request), toDefaults(caller), phoneCountry);
          violations.throwIfAny('extension');
          const order = { wanted, caller };
          if (context.idempotencyKey === undefined) {
            return batcher.add(order);
          }
          // Not batched, because the idempotency key is stored in the transaction of its own request.
          return turns.run(caller.accountId, () => transact(async (tx) => (await write(tx, [order]))[0]!));
        },
        ...keptExtension(dependencies, caller, request.senha),
      },
    );
  };
}
