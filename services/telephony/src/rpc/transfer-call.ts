import { TransferCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { conflict, invalid, notFound, unprocessable } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { sideOf } from '../domain/live-call';
import { isUuid } from '../storage/calls';
import { requestTransfer } from '../storage/leg-changes';
import { findLive } from '../storage/live-calls';
import type { Dependencies, Handler } from './dependencies';

/** From the request until the switch has given the call of the extension up, whatever the switch does. */
const MARGIN_SECONDS = 20;

/** The request is stored before the response; the driver of the switch carries it out. */
export function transferCall(dependencies: Dependencies): Handler<'transferCall'> {
  const { database, extensions, registrar, ringSeconds, now, poke } = dependencies;
  return async ({ id, to = '', from }, context) => {
    const { accountId } = requireCaller(context);
    const [call] = isUuid(id) ? await findLive(database, [id]) : [];
    if (call === undefined || call.accountId !== accountId) {
      throw notFound('call', id);
    }
    const side = sideOf(call, from?.trim() || undefined);
    if (side === undefined) {
      throw invalid('call', [{ field: 'from', code: 'inclusion', message: 'is not an extension in this call' }]);
    }
    const target = to.trim() === '' ? undefined : await extensions.resolve({ accountId, ramal: to.trim() });
    if (target === undefined) {
      throw invalid('call', [{ field: 'to', code: 'inclusion', message: 'is not an extension of this account' }]);
    }
    const { domain, ramal } = target.extension;
    if (!(await registrar.isRegistered({ domain, ramal }))) {
      throw unprocessable('USER_NOT_REGISTERED', 'user not registered');
    }
    if (call.answeredAt === null) {
      throw conflict('CALL_NOT_ANSWERED', 'Only an answered call can be transferred.');
    }
    const until = new Date(now().getTime() + (ringSeconds + MARGIN_SECONDS) * 1000);
    if (!(await requestTransfer(database, { callId: id, side, to: ramal, now: now(), until }))) {
      throw notFound('call', id);
    }
    poke();
    return TransferCallResponse.fromPartial({ status: 'success', id, message: 'The extension is being called.' });
  };
}
