import type { Condition } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import { readFilter } from './read-filter';
import type { Resource } from './resource';

export interface DateBounds {
  startDate: string | undefined;
  endDate: string | undefined;
}

/** The conditions of the query parameters startDate and endDate on a field, each read exactly like a date in a filter. */
export function dateBounds(
  resource: Resource,
  field: string,
  { startDate, endDate }: DateBounds,
  timeZone: string,
): Condition[] {
  const bound = (name: keyof DateBounds, operator: 'gte' | 'lte', date = ''): Condition[] => {
    if (date.trim() === '') {
      return [];
    }
    try {
      const where = { [field]: { [operator]: date.trim() } };
      return [readFilter(resource, JSON.stringify({ where }), timeZone).where!];
    } catch {
      throw invalidFilter(`${quote(name)} is not a date (ISO 8601)`);
    }
  };
  return [...bound('startDate', 'gte', startDate), ...bound('endDate', 'lte', endDate)];
}
