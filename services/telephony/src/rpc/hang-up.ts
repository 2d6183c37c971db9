import { HangUpResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { requestHangup } from '../storage/live-calls';
import type { Dependencies, Handler } from './dependencies';

/** The request to end is stored before the response, so that it is carried out even if this process dies. */
export function hangUp({ database, now, poke }: Dependencies): Handler<'hangUp'> {
  return async ({ id = '' }, context) => {
    const { accountId } = requireCaller(context);
    const callId = await requestHangup(database, { accountId, id, now: now() });
    if (callId === undefined) {
      throw notFound('call', id);
    }
    poke();
    return HangUpResponse.fromPartial({ status: 'success', id, message: 'The call is being ended.' });
  };
}
