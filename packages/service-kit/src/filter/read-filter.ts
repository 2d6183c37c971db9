import type { CheckedFilter } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import { readJson } from './read-json';
import { readOperand } from './read-operand';
import { readOrder } from './read-order';
import { readFields, readInclude } from './read-selection';
import { readWhere } from './read-where';
import type { Resource } from './resource';

const keys = ['where', 'fields', 'include', 'order', 'limit', 'offset', 'skip'];

/**
 * Reads the text of a LoopBack filter into a checked tree; a mistake in it is a 400 INVALID_FILTER that names the part.
 * `timeZone` is the account's: a date without a zone is read in it.
 */
export function readFilter(resource: Resource, text: string | undefined, timeZone: string): CheckedFilter {
  const filter = readJson(text) ?? {};
  const unknown = Object.keys(filter).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw invalidFilter(`unknown key ${quote(unknown)}; there are ${keys.join(', ')}`);
  }
  return {
    where: readWhere(resource, filter.where),
    order: readOrder(resource, filter.order),
    // Zero counts as absent; more than the maximum is clamped.
    limit: Math.min(readCount('limit', filter.limit) || resource.defaultLimit, resource.maximumLimit),
    offset: readCount('offset', filter.offset) ?? readCount('skip', filter.skip) ?? 0,
    fields: readFields(resource, filter.fields),
    include: readInclude(resource, filter.include),
    timeZone: timeZone === '' ? 'UTC' : timeZone,
  };
}

function readCount(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') {
    return undefined;
  }
  const operand = readOperand('integer', value);
  if (typeof operand !== 'object' || operand.type !== 'integer' || operand.value < 0) {
    throw invalidFilter(`${quote(name)} must be a whole number that is not negative`);
  }
  return operand.value;
}
