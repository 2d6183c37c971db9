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
export const endedCalls = `(SELECT ${columns}, 'ended' AS status, answered_at FROM calls WHERE ended_at IS NOT NULL) AS calls`;

/** Their state is in live_calls. */
export const lastingCalls = `(SELECT ${columns}, ${live.status} AS status, ${live.answeredAt} AS answered_at
  FROM live_calls AS live JOIN calls ON calls.id = live.call_id AND calls.account_id = live.account_id
  WHERE calls.ended_at IS NULL) AS calls`;

/** Every call once, with its state. Conditions reach the indexes of both parts. */
export const callsWithState = `(SELECT * FROM ${endedCalls} UNION ALL SELECT * FROM ${lastingCalls}) AS calls`;

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
