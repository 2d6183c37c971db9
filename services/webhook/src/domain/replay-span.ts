import type { Violations } from '@sabia/service-kit/validation/violations';

export interface ReplayInput {
  from?: string;
  to?: string;
  status?: string;
}

export type ReplayStatus = 'dead' | 'delivered';

export interface ReplaySpan {
  from?: Date;
  to?: Date;
  status: ReplayStatus;
}

const statuses: readonly ReplayStatus[] = ['dead', 'delivered'];
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** What was given up, unless something else is asked for. */
export function checkReplay(violations: Violations, { from, to, status }: ReplayInput): ReplaySpan {
  const wanted = statuses.find((known) => known === (status || 'dead'));
  if (wanted === undefined) {
    violations.add('status', 'inclusion', `must be one of ${statuses.join(', ')}`);
  }
  const span = { from: checkInstant(violations, 'from', from), to: checkInstant(violations, 'to', to) };
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) {
    violations.add('to', 'range', 'must not be before from');
  }
  return { ...span, status: wanted ?? 'dead' };
}

function checkInstant(violations: Violations, field: string, value: string | undefined): Date | undefined {
  if (value === undefined || value === '') {
    return undefined;
  }
  const date = instant.test(value) ? new Date(value) : new Date(NaN);
  if (Number.isNaN(date.getTime())) {
    violations.add(field, 'format', 'must be a time as in 2026-01-31T12:00:00Z');
    return undefined;
  }
  return date;
}
