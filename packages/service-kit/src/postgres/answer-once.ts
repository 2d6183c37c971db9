import type { RpcContext } from '../grpc/handler';
import { answerOf, claimOf, idempotencyKeptMs } from '../idempotency';
import type { IdempotencyClaim } from '../idempotency';
import type { Database } from './database';
import { claimKey, findKeptAnswer, keepAnswer } from './idempotency-keys';
import type { Transaction } from './queryable';

interface Codec<Message> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

export interface OnceOptions<Request, Response> {
  database: Database;
  now: () => Date;
  context: RpcContext;
  /** The part of the request that a repetition is compared by. It holds no value that could be guessed from its hash, such as a password. */
  request: Request;
  Request: Codec<Request>;
  Response: Codec<Response>;
}

export type Transact<Result> = (work: (tx: Transaction) => Promise<Result>) => Promise<Result>;

export interface Work<Result, Response> {
  /** Takes effect only within `transact`. */
  act: (transact: Transact<Result>) => Promise<Result>;
  answer: (result: Result) => Response;
  /** Reduces a response that holds a secret to the part that is kept. */
  keep?: (result: Result) => Response;
  /** Completes a kept response. */
  restore?: (kept: Response) => Promise<Response>;
}

class KeyIsTaken extends Error {}

/**
 * A request with an idempotency key has its effect once; a repetition is answered as the first was. The key is claimed in the
 * transaction of the effect, before it: a second request waits there until the first is decided.
 */
export async function answerOnce<Request, Response, Result>(
  { database, now, context, request, Request, Response }: OnceOptions<Request, Response>,
  { act, answer, keep = answer, restore }: Work<Result, Response>,
): Promise<Response> {
  const claim = context.idempotencyKey === undefined ? undefined : claimOf(context, Request.encode(request).finish());
  if (claim === undefined) {
    return answer(await act((work) => database.transaction(work)));
  }
  const earlier = await recall(claim);
  if (earlier !== undefined) {
    return earlier;
  }
  const transact: Transact<Result> = (work) =>
    database.transaction(async (tx) => {
      if (!(await claimKey(tx, claim, new Date(now().getTime() + idempotencyKeptMs)))) {
        throw new KeyIsTaken();
      }
      const result = await work(tx);
      await keepAnswer(tx, claim.name, Response.encode(keep(result)).finish());
      return result;
    });
  try {
    return answer(await act(transact));
  } catch (error) {
    // Also when the repetition was refused because the first request has taken effect meanwhile, e.g. with the same unique name.
    const first = await recall(claim);
    if (first === undefined) {
      throw error;
    }
    return first;
  }

  async function recall(wanted: IdempotencyClaim): Promise<Response | undefined> {
    const kept = await findKeptAnswer(database, wanted.name, now());
    if (kept === undefined) {
      return undefined;
    }
    const response = Response.decode(answerOf(wanted, kept));
    context.replayed = true;
    return restore === undefined ? response : restore(response);
  }
}
