import type { Filter } from '@sabia/client';
import { operators, orders } from './filter-fields';
import type { Operator, Order } from './filter-fields';

/** One condition that calls must meet; shown as a chip. */
export interface Condition {
  /** A field of the API's filter, or `metadata.<path>`. */
  field: string;
  operator: Operator;
  /** Several values are separated by commas. */
  value: string;
}

/** What the list shows. All of it is in the address bar, so that a list can be shared and survives a reload. */
export interface CallFilters {
  startDate?: string;
  endDate?: string;
  conditions: readonly Condition[];
  /** JSON: a "where" of the API, for what chips cannot express. */
  where?: string;
  order?: Order;
}

export const noFilters: CallFilters = { conditions: [] };

const reserved = new Set(['startDate', 'endDate', 'where', 'order', 'page', 'filter']);

/** Other names that the API knows. */
const aliases: Record<string, string> = {
  extension: 'from',
  ramal: 'from',
  called: 'to',
  phone: 'to',
  call_type: 'direction',
};

/** `from=1000` is an equality, as in the API's own parameters; other operators follow the field: `duration-gte=60`. */
export function readAddress(search: URLSearchParams): CallFilters {
  const order = orders.find((each) => each === search.get('order'));
  const conditions = [...search]
    .filter(([name, value]) => !reserved.has(name) && value !== '')
    .map(([name, value]) => ({ ...readName(name), value }))
    .filter(({ field }) => isField(field));
  return {
    ...textOf('startDate', search),
    ...textOf('endDate', search),
    ...textOf('where', search),
    ...(order !== undefined && { order }),
    conditions,
  };
}

export function writeAddress({ startDate, endDate, where, order, conditions }: CallFilters): URLSearchParams {
  const search = new URLSearchParams();
  if (startDate !== undefined) search.append('startDate', startDate);
  if (endDate !== undefined) search.append('endDate', endDate);
  for (const { field, operator, value } of conditions) search.append(writeName(field, operator), value);
  if (where !== undefined) search.append('where', where);
  if (order !== undefined) search.append('order', order);
  return search;
}

/** The same for the API. */
export function listOptions({ startDate, endDate, order, conditions, where }: CallFilters, limit?: number) {
  const all = [...conditions.map(whereOf), ...whereOfText(where)];
  const filter: Filter = {
    ...(all.length > 0 && { where: all.length === 1 ? all[0] : { and: all } }),
    ...(order !== undefined && { order }),
    ...(limit !== undefined && { limit }),
  };
  return { ...(startDate !== undefined && { startDate }), ...(endDate !== undefined && { endDate }), filter };
}

/** The same as parameters of an address of the API. */
export function toQuery(filters: CallFilters): Record<string, string> {
  const { filter, ...days } = listOptions(filters);
  return { ...days, ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }) };
}

/** Undefined: the text is no JSON object. */
export function parseWhere(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function isFiltered({ startDate, endDate, where, conditions }: CallFilters): boolean {
  return conditions.length > 0 || [startDate, endDate, where].some((each) => each !== undefined);
}

function textOf<Name extends 'startDate' | 'endDate' | 'where'>(
  name: Name,
  search: URLSearchParams,
): Partial<Record<Name, string>> {
  const text = search.get(name) ?? '';
  return text === '' ? {} : ({ [name]: text } as Record<Name, string>);
}

const suffix = new RegExp(`-(${operators.join('|')})$`);

function readName(name: string): { field: string; operator: Operator } {
  const operator = suffix.exec(name)?.[1] as Operator | undefined;
  const field = operator === undefined ? name : name.slice(0, -operator.length - 1);
  return { field: aliases[field] ?? field, operator: operator ?? 'eq' };
}

/** A key of the metadata may end like an operator; its equality is then written out. */
function writeName(field: string, operator: Operator): string {
  return operator === 'eq' && !suffix.test(field) ? field : `${field}-${operator}`;
}

const isField = (field: string): boolean => /^(metadata\..+|[A-Za-z_]+)$/.test(field);

/** In the API the direction is filtered by its canonical name. */
const nameInApi = (field: string): string => (field === 'direction' ? 'call_type' : field);

function whereOf({ field, operator, value }: Condition): Record<string, unknown> {
  if (field === 'recorded') return { record_url: value === 'yes' ? { neq: null } : null };
  return { [nameInApi(field)]: operandOf(field, operator, value) };
}

function operandOf(field: string, operator: Operator, value: string): unknown {
  const list = value.split(',').map((each) => each.trim());
  switch (operator) {
    case 'eq':
      return value;
    case 'has':
      return { ilike: `%${literal(value)}%` };
    case 'starts':
      return { ilike: `${literal(value)}%` };
    case 'in':
      return { inq: list };
    case 'nin':
      return { nin: list };
    case 'between':
      return { between: list.map((each) => bound(field, each)) };
    case 'gte':
    case 'lte':
      return { [operator]: bound(field, value) };
    case 'neq':
      return { neq: value };
  }
}

/** In a pattern % and _ stand for other characters. */
const literal = (text: string): string => text.replace(/[\\%_]/g, (each) => `\\${each}`);

/** Metadata is compared as a number only with a number. */
const bound = (field: string, value: string): string | number =>
  field.startsWith('metadata.') && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

function whereOfText(text: string | undefined): Record<string, unknown>[] {
  const where = text === undefined ? undefined : parseWhere(text);
  return where === undefined ? [] : [where];
}
