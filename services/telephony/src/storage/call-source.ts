import type { CheckedFilter, Condition, Target } from '@sabia/service-kit/filter/checked-filter';
import { stateIn } from './call-state';

const columns = [
  ...['id', 'account_id', 'domain', 'call_type', 'from_number', 'to_number', 'called', 'started_at', 'ended_at'],
  ...['duration', 'billed_seconds', 'hangup_cause', 'record_url', 'email', 'first_name', 'last_name', 'bina'],
  ...['minute_price', 'call_price', 'metadata'],
]
  .map((name) => `calls.${name}`)
  .join(', ');

const live = stateIn('live');

/** The status is a constant, so that PostgreSQL leaves these calls out when another one is asked for. */
const endedIn = (table: string): string =>
  `(SELECT ${columns}, 'ended' AS status, answered_at FROM ${table} AS calls WHERE ended_at IS NOT NULL) AS calls`;

/** Their state is in live_calls. */
const lastingCalls = `(SELECT ${columns}, ${live.status} AS status, ${live.answeredAt} AS answered_at
  FROM live_calls AS live JOIN calls_current AS calls ON calls.id = live.call_id AND calls.account_id = live.account_id
  WHERE calls.ended_at IS NULL) AS calls`;

/** Every call once, with its state. Conditions reach the indexes of both parts. */
export const callsWithState = `(SELECT * FROM ${endedIn('calls')} UNION ALL SELECT * FROM ${lastingCalls}) AS calls`;

const stateFields = ['status', 'answered_at'];
const isState = ({ field }: Target): boolean => stateFields.includes(field.name);

/** Whether the filter asks for what the record of a call does not tell before it has ended. */
export const asksForState = ({ where, order = [] }: Pick<CheckedFilter, 'where' | 'order'>): boolean =>
  (where !== undefined && namesState(where)) || order.some(({ target }) => isState(target));

function namesState(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some(namesState);
    case 'not':
      return namesState(condition.condition);
    case 'constant':
    case 'contains':
      return false;
    default:
      return isState(condition.target);
  }
}

/** The text after FROM in which a filter finds its calls. */
export const sourceOf = (filter: Pick<CheckedFilter, 'where' | 'order'>): string =>
  asksForState(filter) ? callsWithState : 'calls';

/** For conditions whose values lead to the calls: of the current ones no index holds values, so that they are found by their account. */
export const callsLedByValues = (account: string): string =>
  `(SELECT * FROM calls_final UNION ALL SELECT * FROM calls_current WHERE account_id = ${account}) AS calls`;

/** Of the same calls, what is walked by an index of its own: the months of final calls one after the other, from the newest on. */
const partsOf = (filter: Pick<CheckedFilter, 'where' | 'order'>): string[] =>
  asksForState(filter)
    ? [endedIn('calls_final'), endedIn('calls_current'), lastingCalls]
    : ['calls_final', 'calls_current'];

/**
 * SQL: the ids of the newest calls for which the condition on their account holds. PostgreSQL would begin to read all months, to merge
 * them with the current calls; with a limit to each part it walks no further than needed.
 */
export function newestIds(
  where: string,
  { filter = {}, limit, offset }: { filter?: Pick<CheckedFilter, 'where' | 'order'>; limit: string; offset?: string },
): string {
  const end = offset === undefined ? limit : `${limit} + ${offset}`;
  const parts = partsOf(filter).map(
    (part) => `(SELECT id FROM ${part} WHERE ${where} ORDER BY account_id DESC, id DESC LIMIT ${end})`,
  );
  const stretch = offset === undefined ? `LIMIT ${limit}` : `LIMIT ${limit} OFFSET ${offset}`;
  return `SELECT id FROM (${parts.join(' UNION ALL ')}) AS newest ORDER BY id DESC ${stretch}`;
}
