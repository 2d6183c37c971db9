import { LeaveCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { sideOf } from '../domain/live-call';
import { isUuid } from '../storage/calls';
import { findLive, noteDeparture } from '../storage/live-calls';
import type { Dependencies, Handler } from './dependencies';

/** Long enough to load a page anew. */
const GRACE_MS = 15_000;

/** A page that is left cannot know whether it is closed or loaded anew: the call ends unless the phone is called back in time. */
export function leaveCall({ database, now }: Dependencies): Handler<'leaveCall'> {
  return async ({ id, extension }, context) => {
    const { accountId } = requireCaller(context);
    const [call] = isUuid(id) ? await findLive(database, [id]) : [];
    if (call === undefined || call.accountId !== accountId) {
      throw notFound('call', id);
    }
    const side = sideOf(call, extension?.trim() || undefined);
    if (side === undefined) {
      throw invalid('call', [{ field: 'extension', code: 'inclusion', message: 'is not an extension in this call' }]);
    }
    await noteDeparture(database, { callId: id, side, until: new Date(now().getTime() + GRACE_MS) });
    return LeaveCallResponse.fromPartial({
      status: 'success',
      id,
      message: 'The call ends unless the extension is called back into it.',
    });
  };
}
