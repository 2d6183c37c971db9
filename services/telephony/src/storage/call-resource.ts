import { pageLimits, defineResource } from '@sabia/service-kit/filter/resource';
import type { Comparison } from '@sabia/service-kit/filter/resource';
import { listedCallColumns } from './call-rows';
import { asWord, inMetadata, ofAnyMinutePrice, ofAnyType } from './shared-indexes';

export const callResource = defineResource({
  name: 'call',
  columns: listedCallColumns,
  from: 'calls',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'uuid', sql: 'id' },
    domain: { type: 'text', sql: 'domain' },
    call_type: { type: 'text', sql: 'call_type', answerAliases: ['direction'] },
    started_at: { type: 'timestamp', sql: 'started_at', aliases: ['date'], compare: compareIds, order: 'id' },
    ended_at: { type: 'timestamp', sql: 'ended_at', compare: boundIds('ended_at') },
    answered_at: { type: 'timestamp', sql: 'answered_at', compare: boundIds('answered_at') },
    from: { type: 'text', sql: 'from_number', aliases: ['extension', 'ramal', 'caller'] },
    to: { type: 'text', sql: 'to_number', aliases: ['phone'], answerAliases: ['called'] },
    duration: { type: 'integer', sql: 'duration' },
    billed_seconds: { type: 'integer', sql: 'billed_seconds' },
    hangup_cause: { type: 'text', sql: 'hangup_cause', ...ofAnyType('hangup_cause') },
    record_url: { type: 'text', sql: 'record_url' },
    email: { type: 'text', sql: 'email' },
    first_name: { type: 'text', sql: 'first_name', ...asWord('first_name') },
    last_name: { type: 'text', sql: 'last_name', ...asWord('last_name') },
    BINA: { type: 'text', sql: 'bina', aliases: ['bina'], ...asWord('bina') },
    minute_price: { type: 'decimal', sql: 'minute_price' },
    call_price: { type: 'decimal', sql: 'call_price', ...ofAnyMinutePrice('call_price') },
    status: { type: 'text', sql: 'status' },
    metadata: { type: 'json', sql: '(metadata::jsonb)', ...inMetadata },
  },
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

/**
 * The id of a call contains the millisecond of started_at, so any index that ends with the id can select calls by their start without
 * reading their rows.
 */
function compareIds(operator: Comparison, moment: string): string {
  // In UTC it depends on no setting, so that PostgreSQL knows the id, and with it the partitions, when it plans.
  const milliseconds = `extract(epoch FROM ${moment} AT TIME ZONE 'UTC') * 1000`;
  const notBefore = firstId(`ceil(${milliseconds})`);
  const after = firstId(`floor(${milliseconds}) + 1`);
  switch (operator) {
    case '>=':
      return `id >= ${notBefore}`;
    case '<':
      return `id < ${notBefore}`;
    case '>':
      return `id >= ${after}`;
    case '<=':
      return `id < ${after}`;
    case '=':
      return `(id >= ${notBefore} AND id < ${after})`;
  }
}

/** The lowest id of this millisecond. There are no ids from before 1970. */
const firstId = (millisecond: string): string =>
  `rpad(lpad(to_hex(greatest(0, ${millisecond})::bigint), 12, '0'), 32, '0')::uuid`;

/** A call that had ended by some time began before it: a bound that the order of the ids can use. */
function boundIds(column: string): (operator: Comparison, moment: string) => string {
  return (operator, moment) => {
    const comparison = `${column} ${operator} ${moment}`;
    return operator.startsWith('>') ? comparison : `(${comparison} AND ${compareIds('<=', moment)})`;
  };
}
