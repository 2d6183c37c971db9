import type { Condition, OrderTerm } from '@sabia/service-kit/filter/checked-filter';

/** Fields by whose value an index of account, field and id orders the calls. */
const ordered = new Set(['from', 'to', 'email', 'ended_at', 'duration']);
/** Fields for which one index holds all matches of any comparison. */
const indexed = new Set([...ordered, 'answered_at', 'call_type', 'hangup_cause', 'minute_price', 'call_price']);
/** Fields for which an index holds the matches of one value. */
const words = new Set(['first_name', 'last_name', 'BINA']);
/** Conditions on the start of a call, which its id contains. */
const inId = new Set(['id', 'started_at']);

/** Fields whose index holds all calls, so that it can sort them. */
const sorted = new Set([...inId, 'from', 'to', 'email', 'ended_at']);

type Comparison = Extract<Condition, { kind: 'compare' }>;

/** One index holds all matches next to each other, ordered by id: at most one value of one field, and one range of time. */
export function isInOrder(where: Condition): boolean {
  const comparisons = conjunctionOf(where);
  const others = comparisons?.filter(({ target }) => !inId.has(target.field.name));
  return others?.length === 0 || (others?.length === 1 && others[0]!.operator === '=' && isOrdered(others[0]!));
}

/** One index holds all matches for any values, so one plan serves all of them: of one field, or of one value within a stretch of time. */
export function isOfOneField(where: Condition, names?: string[]): boolean {
  const comparisons = conjunctionOf(where) ?? [];
  const [first, ...rest] = comparisons.filter(({ target }) => !inId.has(target.field.name));
  const isWithinTime = first !== undefined && comparisons.length > rest.length + 1;
  return (
    first !== undefined &&
    isIndexed(first) &&
    names?.includes(first.target.field.name) !== false &&
    (isWithinTime
      ? first.operator === '=' && rest.length === 0
      : rest.every(({ target }) => target.field === first.target.field))
  );
}

/** One index is the best for these, whatever the values are; a stretch of time may be so short that another one is. */
export const isOfOneFieldAlone = (where: Condition): boolean =>
  isOfOneField(where) && conjunctionOf(where)?.some(({ target }) => inId.has(target.field.name)) === false;

/** One index holds the matches of each account and no others: of a name, a caller id or a value of metadata, which may have two spellings. */
export function isOfOneWord(where: Condition): boolean {
  const parts = where.kind === 'or' ? where.conditions : [where];
  const isOne = parts.length === 1 || (parts.length === 2 && parts.every(({ kind }) => kind === 'contains'));
  return isOne && parts.every(isWord);
}

function isWord(condition: Condition): boolean {
  switch (condition.kind) {
    case 'compare':
      return condition.operator === '=' && words.has(condition.target.field.name);
    case 'any':
      return words.has(condition.target.field.name);
    case 'contains':
      return holdsValue(JSON.parse(condition.json));
    default:
      return false;
  }
}

/** The index has no entries for empty objects and arrays. */
const holdsValue = (json: unknown): boolean =>
  typeof json !== 'object' || json === null || Object.values(json).some(holdsValue);

/** One index holds all calls in this order. */
export const isSorted = ([first, ...rest]: OrderTerm[]): boolean =>
  rest.length === 0 && first !== undefined && first.target.path.length === 0 && sorted.has(first.target.field.name);

const isOrdered = ({ target }: Comparison): boolean => ordered.has(target.field.name) && target.path.length === 0;

const isIndexed = ({ target, operator }: Comparison): boolean =>
  target.path.length === 0 && (indexed.has(target.field.name) || (operator === '=' && words.has(target.field.name)));

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
