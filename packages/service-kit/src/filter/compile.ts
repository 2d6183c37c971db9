import { anyValue, hasAlso } from '../postgres/any-value';
import type { CheckedFilter, Condition, Operand, Target } from './checked-filter';
import type { Comparison, NamedField, Resource } from './resource';

export interface CompiledFilter {
  /** Holds $1 … of `values`; bound to the account, unless the list is the operator's. */
  where: string;
  /** ORDER BY, with parameters that follow those of `where`. */
  orderBy: string;
  /** Of `where` and `orderBy`. */
  values: unknown[];
  /** How many of the values belong to `where`. */
  whereCount: number;
}

export interface CompileOptions {
  /** PostgreSQL is to plan without looking at the values. */
  forAnyValues?: boolean;
  /** The values lead to the rows, by an index in which those of each account differ; the account is compared when a row has been found. */
  valuesLead?: boolean;
}

/** Client data goes into parameters only; the text consists of declared SQL and of constants of this file. */
export function compileFilter(
  resource: Resource,
  filter: CheckedFilter,
  accountId: number | null,
  { forAnyValues = false, valuesLead = false }: CompileOptions = {},
): CompiledFilter {
  if ((resource.tenant === null) !== (accountId === null)) {
    throw new TypeError(`resource ${resource.name}: a list is bound to one account, or declared over all of them`);
  }
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const give: Give = (value, type) => (forAnyValues ? anyValue(bind(value), type) : `${bind(value)}::${type}`);
  const account = resource.tenant === null ? 'NULL' : give(accountId, 'bigint');
  const ofAccount = (column: string) => (valuesLead ? hasAlso(column, account) : `${column} = ${account}`);
  const compiler = createCompiler(give, { timeZone: filter.timeZone, account });

  const tenant = resource.tenant === null ? 'true' : ofAccount(resource.tenant);
  const where = filter.where === undefined ? tenant : `${tenant} AND ${compiler.condition(filter.where)}`;
  const whereCount = values.length;

  const fallback = resource.lookup(resource.defaultOrder.field)!;
  const terms = filter.order ?? [
    { target: { field: fallback, path: [] }, descending: resource.defaultOrder.descending },
  ];
  const direction = (descending: boolean): string => (descending ? 'DESC' : 'ASC');
  const order = terms.map(({ target, descending }) => `${compiler.sortKey(target)} ${direction(descending)}`);
  const key = `${resource.key} ${direction(terms.at(-1)!.descending)}`;
  if (order.at(-1) !== key) {
    order.push(key);
  }
  return { where, orderBy: `ORDER BY ${order.join(', ')}`, values, whereCount };
}

const arrayTypes: Record<Operand['type'], string> = {
  text: 'text[]',
  integer: 'bigint[]',
  decimal: 'numeric[]',
  boolean: 'boolean[]',
  uuid: 'uuid[]',
  timestamp: 'timestamptz[]',
};

const scalarTypes: Record<Exclude<Operand['type'], 'timestamp'>, string> = {
  text: 'text',
  integer: 'bigint',
  decimal: 'numeric',
  boolean: 'boolean',
  uuid: 'uuid',
};

/** Numbers in the usual notation; longer or unusual ones inside json are not compared as numbers. */
const numeral = '^[+-]?[0-9]{1,100}([.][0-9]{1,100})?$';

/** SQL for a value of this type. */
type Give = (value: unknown, type: string) => string;

function createCompiler(give: Give, { timeZone, account }: { timeZone: string; account: string }) {
  function condition(node: Condition): string {
    switch (node.kind) {
      case 'and':
      case 'or':
        return `(${node.conditions.map(condition).join(node.kind === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        return node.condition.kind === 'null'
          ? `${expression(node.condition.target)} IS NOT NULL`
          : // The complement, so that a row without a value is "not equal" too.
            `((${condition(node.condition)}) IS NOT TRUE)`;
      case 'constant':
        return node.value ? 'TRUE' : 'FALSE';
      case 'null':
        return `${expression(node.target)} IS NULL`;
      case 'compare':
        return compare(node.target, node.operator, node.operand);
      case 'any':
        return any(node.target, node.operands);
      case 'like':
        return `${textual(node.target)} ${node.ignoreCase ? 'ILIKE' : 'LIKE'} ${give(node.pattern, 'text')}`;
      case 'regexp':
        return `${textual(node.target)} ${node.ignoreCase ? '~*' : '~'} ${give(node.pattern, 'text')}`;
      case 'contains':
        return contains(node.field, give(node.json, 'jsonb'));
    }
  }

  function expression({ field, path }: Target): string {
    return path.length === 0 ? field.sql : `(${field.sql} #>> ${give(path, 'text[]')})`;
  }

  function sortKey(target: Target): string {
    return target.field.order ?? expression(target);
  }

  function compare(target: Target, operator: Comparison, value: Operand): string {
    return target.field.compare === undefined
      ? `${comparable(target, value)} ${operator} ${operand(value)}`
      : target.field.compare(operator, operand(value), account);
  }

  function contains({ sql, contains: write }: NamedField, operand: string): string {
    return write === undefined ? `${sql} @> ${operand}` : write(operand, account);
  }

  function textual(target: Target): string {
    return target.path.length > 0 || target.field.type === 'text' ? expression(target) : `(${target.field.sql})::text`;
  }

  /** Inside json a number is compared only with texts that read as numbers; CASE keeps the cast away from the others. */
  function comparable(target: Target, { type }: Operand): string {
    if (target.path.length === 0 || type !== 'decimal') {
      return expression(target);
    }
    const text = expression(target);
    return `(CASE WHEN ${text} ~ '${numeral}' THEN ${text}::numeric END)`;
  }

  function operand(value: Operand): string {
    if (value.type !== 'timestamp') {
      return give(value.value, scalarTypes[value.type]);
    }
    return 'instant' in value.value
      ? give(value.value.instant, 'timestamptz')
      : `(${give(value.value.local, 'timestamp')} AT TIME ZONE ${give(timeZone, 'text')})`;
  }

  function any(target: Target, operands: Operand[]): string {
    if (operands.some(({ type }) => type === 'timestamp')) {
      return `(${operands.map((value) => compare(target, '=', value)).join(' OR ')})`;
    }
    // Operands of one field are of one type; only a whole number may stand among decimals.
    const type = operands.some((value) => value.type === 'decimal') ? 'decimal' : operands[0]!.type;
    const values = give(
      operands.map(({ value }) => value),
      arrayTypes[type],
    );
    return target.field.any === undefined
      ? `${expression(target)} = ANY (${values})`
      : target.field.any(values, account);
  }

  return { condition, sortKey };
}
