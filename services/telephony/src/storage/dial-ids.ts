import { newEventId } from '@sabia/service-kit/events/outbox';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import { firstIdOf, momentOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';

/** A dial id contains the moment of the request, so that its call is looked for in the partition of that month alone. */
export const newDialId = (now: Date): string => newEventId(now);

const MINUTE_MS = 60_000;
/** From a request to the id of its call. A placing takes seconds. */
const LONGEST_MS = 60 * MINUTE_MS;

const text = 'SELECT id FROM calls WHERE dial_id = $1::uuid';

/** The id of the call, of any account, for which POST /dialer has returned this. */
export async function findDialled(queryable: Queryable, dialId: string): Promise<string | undefined> {
  // Former releases made random ones, which may be anywhere.
  const months = monthsOf(dialId[14] === '7' ? spanOf(dialId) : []);
  const [call] = await queryable.query<{ id: string }>(`${text} AND ${months.hold('id')}`, [dialId], {
    name: months.nameOf('find-dialled'),
  });
  return call?.id;
}

function spanOf(dialId: string): [string, string] {
  const moment = momentOf(dialId).getTime();
  return [firstIdOf(new Date(moment - MINUTE_MS)), firstIdOf(new Date(moment + LONGEST_MS))];
}
