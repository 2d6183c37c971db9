import { LeaveCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { COME_BACK_MS, legNumberOf, sideOf } from '../domain/live-call';
import { isUuid } from '../storage/calls';
import { noteDeparture } from '../storage/leg-changes';
import { findLive } from '../storage/live-calls';
import type { Dependencies, Handler } from './dependencies';

/** A page that is left cannot know whether it is closed or loaded anew: the call ends unless the phone is called back in time. */
export function leaveCall({ database, now }: Dependencies): Handler<'leaveCall'> {
  return async ({ id, extension, leg }, context) => {
    const { accountId } = requireCaller(context);
    const [call] = isUuid(id) ? await findLive(database, [id]) : [];
    if (call === undefined || call.accountId !== accountId) {
      throw notFound('call', id);
    }
    const side = sideOf(call, extension?.trim() || undefined);
    if (side === undefined) {
      throw invalid('call', [{ field: 'extension', code: 'inclusion', message: 'is not an extension in this call' }]);
    }
    // The request of a page that was left may come after the next page was called back.
    const isFormer = leg !== undefined && leg < legNumberOf(call, side);
    if (!isFormer) await noteDeparture(database, call, { side, until: new Date(now().getTime() + COME_BACK_MS) });
    return LeaveCallResponse.fromPartial({
      status: 'success',
      id,
      message: isFormer
        ? 'The extension has been called back already.'
        : 'The call ends unless the extension is called back into it.',
    });
  };
}
