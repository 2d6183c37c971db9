import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { invalid, unprocessable } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { answerOf, claimOf } from '@sabia/service-kit/idempotency';
import type { IdempotencyClaim } from '@sabia/service-kit/idempotency';
import type { NewCall } from '../domain/call';
import { looksLikeExtension } from '../domain/call-request';
import type { CallRequest } from '../domain/call-request';
import type { KnownExtension } from '../placing/known-extensions';
import { DuplicateKeyError } from '../placing/placement';
import type { CallToPlace } from '../placing/placement';
import type { Dependencies } from './dependencies';

interface Codec<Message> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

export interface RpcThatCalls<Request, Response> {
  request: Request;
  codecs: { request: Codec<Request>; response: Codec<Response> };
  /** Checks the body. `isInternal`: the destination is an extension of the account. */
  read: (caller: Caller, isInternal?: boolean) => CallRequest;
  /** The destination as it was sent. */
  called: string | undefined;
  /** The id under which POST /dialer finds the call. */
  dialId: string | null;
  respond: (call: NewCall) => Response;
}

/**
 * POST /calls and POST /dialer: checks the request, the extension and its softphone, then places the call. A request with an
 * idempotency key has its effect once; a repetition gets the response of the first.
 */
export async function requestCall<Request, Response>(
  { keptAnswers, knownExtensions, registrar, placement }: Dependencies,
  context: RpcContext,
  { request, codecs, read, called, dialId, respond }: RpcThatCalls<Request, Response>,
): Promise<Response> {
  const caller = requireCaller(context);
  const claim =
    context.idempotencyKey === undefined ? undefined : claimOf(context, codecs.request.encode(request).finish());
  const earlier = claim && (await findResponse(claim));
  if (earlier !== undefined) {
    return earlier;
  }
  const wanted = await readRequest(caller);
  const extension = await findRegistered(caller, wanted.extension);
  const key = claim && {
    ...claim,
    encodeResponse: (call: NewCall) => codecs.response.encode(respond(call)).finish(),
  };
  try {
    return respond(await placement.place(callOf(caller, wanted, extension, dialId), { key }));
  } catch (error) {
    const response = error instanceof DuplicateKeyError && claim && (await findResponse(claim));
    if (!response) throw error;
    return response;
  }

  /** What is no phone number may be an extension: it is looked up only then, as nearly all calls are to numbers. */
  async function readRequest(caller: Caller): Promise<CallRequest> {
    try {
      return read(caller);
    } catch (error) {
      if (!looksLikeExtension(called)) throw error;
      const { accountId } = caller;
      if ((await knownExtensions.find(accountId, called.trim())) === undefined) throw error;
      return read(caller, true);
    }
  }

  /** The response of an earlier request with the same key. */
  async function findResponse(wanted: IdempotencyClaim): Promise<Response | undefined> {
    const kept = await keptAnswers.add(wanted.name);
    if (kept === undefined) {
      return undefined;
    }
    const response = codecs.response.decode(answerOf(wanted, kept));
    context.replayed = true;
    return response;
  }

  async function findRegistered({ accountId, domain }: Caller, ramal: string): Promise<KnownExtension> {
    // At the same time: nearly always the extension has the domain of the account.
    const [extension, isThere] = await Promise.all([
      knownExtensions.find(accountId, ramal),
      registrar.isRegistered({ domain, ramal }),
    ]);
    if (extension === undefined) {
      const message = 'is not an extension of this account';
      throw invalid('call', [{ field: 'extension', code: 'inclusion', message }]);
    }
    const isRegistered =
      extension.domain === domain ? isThere : await registrar.isRegistered({ domain: extension.domain, ramal });
    if (!isRegistered) {
      throw unprocessable('USER_NOT_REGISTERED', 'user not registered');
    }
    return extension;
  }
}

const callOf = (
  caller: Caller,
  wanted: CallRequest,
  extension: KnownExtension,
  dialId: string | null,
): CallToPlace => ({
  dialId,
  accountId: caller.accountId,
  userId: caller.userId,
  domain: extension.domain,
  timeZone: caller.timeZone,
  type: wanted.type,
  from: wanted.extension,
  to: wanted.to,
  called: wanted.called,
  email: extension.email_address,
  firstName: extension.first_name,
  lastName: extension.last_name,
  bina: extension.bina ?? null,
  metadata: wanted.metadata,
  record: extension.gravar_audio,
  ramal: wanted.extension,
  aChannel: null,
});
