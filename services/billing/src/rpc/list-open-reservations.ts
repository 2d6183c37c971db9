import { ListOpenReservationsResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { listOpen } from '../storage/reservations';
import type { Dependencies, Handler } from './dependencies';

const mostAtOnce = 10_000;

export function listOpenReservations({ database, now }: Dependencies): Handler<'listOpenReservations'> {
  return async ({ olderThanSeconds, createdFrom }) => {
    const until = new Date(now().getTime() - Math.max(0, olderThanSeconds) * 1_000);
    const reservations = await listOpen(database, { from: createdFrom ?? new Date(0), until, limit: mostAtOnce });
    return ListOpenReservationsResponse.fromPartial({ reservations });
  };
}
