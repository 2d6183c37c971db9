import { ReleaseReservationResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { readCallId } from '../domain/reservation';
import { releaseHold } from '../storage/hold-credit';
import type { Dependencies, Handler } from './dependencies';

export function releaseReservation({ database, tellBalance, now }: Dependencies): Handler<'releaseReservation'> {
  return async (request) => {
    const callId = readCallId(request.callId);
    const accountId = await database.transaction((tx) => releaseHold(tx, callId, now()));
    if (accountId !== undefined) {
      tellBalance(accountId);
    }
    return ReleaseReservationResponse.fromPartial({});
  };
}
