import type { Condition, OrderTerm } from '@sabia/service-kit/filter/checked-filter';

/** Fields with an index by account, field and id. */
const indexed = new Set([
  'from',
  'to',
  'first_name',
  'last_name',
  'email',
  'BINA',
  'call_type',
  'hangup_cause',
  'ended_at',
  'answered_at',
  'duration',
  'minute_price',
  'call_price',
]);
/** Conditions on the start of a call, which its id contains. */
const inId = new Set(['id', 'started_at']);

/** Fields whose index holds all calls, so that it can sort them. */
const sorted = new Set([
  ...inId,
  'from',
  'to',
  'first_name',
  'last_name',
  'email',
  'BINA',
  'call_type',
  'hangup_cause',
  'ended_at',
]);

type Comparison = Extract<Condition, { kind: 'compare' }>;

/** One index holds all matches next to each other, ordered by id: at most one value of one field, and one range of time. */
export function isInOrder(where: Condition): boolean {
  const comparisons = conjunctionOf(where);
  const others = comparisons?.filter(({ target }) => !inId.has(target.field.name));
  return others?.length === 0 || (others?.length === 1 && others[0]!.operator === '=' && isIndexed(others[0]!));
}

/** One index holds all matches for any values, so one plan serves all of them. */
export function isOfOneField(where: Condition, names?: string[]): boolean {
  const [first, ...rest] = conjunctionOf(where) ?? [];
  return (
    first !== undefined &&
    isIndexed(first) &&
    names?.includes(first.target.field.name) !== false &&
    rest.every(({ target }) => target.field === first.target.field)
  );
}

/** One index holds all calls in this order. */
export const isSorted = ([first, ...rest]: OrderTerm[]): boolean =>
  rest.length === 0 && first !== undefined && first.target.path.length === 0 && sorted.has(first.target.field.name);

const isIndexed = ({ target }: Comparison): boolean => indexed.has(target.field.name) && target.path.length === 0;

/** The comparisons that must all hold; undefined when the condition is more than that. */
function conjunctionOf(where: Condition): Comparison[] | undefined {
  if (where.kind === 'compare') {
    return [where];
  }
  if (where.kind !== 'and') {
    return undefined;
  }
  const parts = where.conditions.map(conjunctionOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}
