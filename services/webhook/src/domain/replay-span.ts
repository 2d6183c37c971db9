import type { Moment } from '@sabia/service-kit/filter/checked-filter';
import { readDate } from '@sabia/service-kit/filter/read-date';
import type { Span } from '@sabia/service-kit/filter/read-date';
import type { Violations } from '@sabia/service-kit/validation/violations';

export interface ReplayInput {
  from?: string;
  to?: string;
  status?: string;
}

export type ReplayStatus = 'dead' | 'delivered';

export interface ReplayWish {
  from?: Moment;
  to?: Bound;
  status: ReplayStatus;
}

/** The last moment of the span, or the first one after it: a bare date means the whole day. */
export type Bound = { last: Moment } | { until: Moment };

const statuses: readonly ReplayStatus[] = ['dead', 'delivered'];

/** Dead deliveries, unless another status is given. */
export function checkReplay(violations: Violations, { from, to, status }: ReplayInput): ReplayWish {
  const wanted = statuses.find((known) => known === (status || 'dead'));
  if (wanted === undefined) {
    violations.add('status', 'inclusion', `must be one of ${statuses.join(', ')}`);
  }
  const [first, last] = [checkDate(violations, 'from', from), checkDate(violations, 'to', to)];
  return { from: first?.from, to: last && boundOf(last), status: wanted ?? 'dead' };
}

const boundOf = ({ from, until }: Span): Bound => (until === undefined ? { last: from } : { until });

function checkDate(violations: Violations, field: string, value: string | undefined): Span | undefined {
  if (value === undefined || value.trim() === '') {
    return undefined;
  }
  const span = readDate(value);
  if (span === undefined) {
    violations.add(field, 'format', 'must be a date or a time as in 2026-01-31 or 2026-01-31T12:00:00Z');
  }
  return span;
}
