import type { CheckedFilter, Condition, Target } from './checked-filter';
import type { Resource } from './resource';

/** `small`: independent of the number of rows; `growing`: with the rows that match; `costly`: with the rows that are stored. */
export type ListCost = 'small' | 'growing' | 'costly';

/** Skipping this many rows takes a few milliseconds. */
const deepOffset = 10_000;

export function costOf({ indexed }: Resource, { where, order = [] }: CheckedFilter, start: number): ListCost {
  const isPlain = (target: Target): boolean => target.path.length === 0 && target.field.type !== 'json';
  if (isDeep(start) || isSearch(where) || order.some(({ target }) => !isPlain(target))) {
    return 'costly';
  }
  if (indexed === undefined) {
    return 'small';
  }
  const isIndexed = (target: Target): boolean => indexed.includes(target.field.name);
  const isServed =
    (where === undefined || isNarrowed(where, isIndexed)) && order.every(({ target }) => isIndexed(target));
  return isServed ? 'growing' : 'costly';
}

export const isDeep = (start: number): boolean => start > deepOffset;

/** A pattern may take any time, however few rows it is matched against. */
export const hasPattern = (where: Condition | undefined): boolean =>
  comparisonsOf(where).some(({ kind }) => kind === 'like' || kind === 'regexp');

/** Patterns, and values inside json. */
const isSearch = (where: Condition | undefined): boolean =>
  hasPattern(where) ||
  comparisonsOf(where).some((part) => part.kind === 'contains' || ('target' in part && part.target.path.length > 0));

function comparisonsOf(condition: Condition | undefined): Condition[] {
  if (condition === undefined) {
    return [];
  }
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(comparisonsOf);
    case 'not':
      return comparisonsOf(condition.condition);
    default:
      return [condition];
  }
}

/** Whether an index finds the matching rows. */
function isNarrowed(condition: Condition, isIndexed: (target: Target) => boolean): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((part) => isNarrowed(part, isIndexed));
    case 'or':
      return condition.conditions.every((part) => isNarrowed(part, isIndexed));
    case 'constant':
      return true;
    case 'null':
    case 'compare':
    case 'any':
      return isIndexed(condition.target);
    default:
      return false;
  }
}
