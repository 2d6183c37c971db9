import { answerOf, claimOf } from '@sabia/service-kit/idempotency';
import type { IdempotencyClaim } from '@sabia/service-kit/idempotency';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { findKeptAnswer } from '@sabia/service-kit/postgres/idempotency-keys';
import type { Keeping } from '../domain/keeping';
import type { Dependencies } from './dependencies';

interface Codec<Message> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

export interface Work<Result, Response> {
  /** Undefined: a request with the same key was faster, and this one has had no effect. */
  act: (keeping: Keeping<Result> | undefined) => Promise<Result | undefined>;
  answer: (result: Result) => Response;
}

/** A request with an idempotency key has its effect once; a repetition is answered as the first was. */
export async function answerOnce<Request, Response, Result>(
  { database, now }: Pick<Dependencies, 'database' | 'now'>,
  context: RpcContext,
  { request, Request, Response }: { request: Request; Request: Codec<Request>; Response: Codec<Response> },
  { act, answer }: Work<Result, Response>,
): Promise<Response> {
  const claim = context.idempotencyKey === undefined ? undefined : claimOf(context, Request.encode(request).finish());
  if (claim === undefined) {
    return answer((await act(undefined))!);
  }
  const earlier = await recall(claim);
  if (earlier !== undefined) {
    return earlier;
  }
  const result = await act({ ...claim, answer: (made) => Response.encode(answer(made)).finish() });
  return result === undefined ? (await recall(claim))! : answer(result);

  async function recall(wanted: IdempotencyClaim): Promise<Response | undefined> {
    const kept = await findKeptAnswer(database, wanted.name, now());
    if (kept === undefined) {
      return undefined;
    }
    const response = Response.decode(answerOf(wanted, kept));
    context.replayed = true;
    return response;
  }
}
