import type { Field } from '@sabia/service-kit/filter/resource';

// Fields of calls that share an index with others: comparisons are written so that PostgreSQL can use it.

type Written = Pick<Field, 'compare' | 'any'>;

/** A condition that holds for every call with a value, and lets an index be used in which another column comes first. */
const narrowedBy = (column: string, condition: (tenant: string) => string): Written => ({
  compare: (operator, operand, tenant) => `(${column} ${operator} ${operand} AND ${condition(tenant)})`,
  any: (operands, tenant) => `(${column} = ANY (${operands}) AND ${condition(tenant)})`,
});

/**
 * See the index calls_type_and_cause. There are few causes, so that without knowing which one is asked for PostgreSQL would expect many
 * calls and look through all of the account; of the span between two values it expects few.
 */
export function ofAnyType(column: string): Written {
  const ofTypes = `call_type = ANY ('{outbound,inbound,internal}'::text[])`;
  const { any } = narrowedBy(column, () => ofTypes);
  return {
    compare: (operator, operand) => {
      const compared = operator === '=' ? `BETWEEN ${operand} AND ${operand}` : `${operator} ${operand}`;
      return `(${column} ${compared} AND ${ofTypes})`;
    },
    any,
  };
}

/** See the index calls_prices. The prices a minute are found one after the other in it; a call has both prices or none. */
export function ofAnyMinutePrice(column: string): Written {
  const next = (condition: string): string =>
    `SELECT minute_price FROM calls WHERE ${condition} ORDER BY minute_price LIMIT 1`;
  return narrowedBy(
    column,
    (tenant) => `minute_price = ANY (ARRAY(
      WITH RECURSIVE known (price) AS (
        (${next(`account_id = ${tenant} AND minute_price IS NOT NULL`)})
        UNION ALL
        SELECT (${next(`account_id = ${tenant} AND minute_price > known.price`)}) FROM known WHERE known.price IS NOT NULL
      )
      SELECT price FROM known WHERE price IS NOT NULL))`,
  );
}

/** See the index calls_account_words: the expression is the same, to the letter. */
export function asWord(column: string): Written {
  const hashOf = (name: string, text: string, tenant: string): string =>
    `hashtextextended('${name} ' || ${text}, ${tenant})`;
  const words = `ARRAY[${['first_name', 'last_name', 'bina'].map((name) => hashOf(name, name, 'account_id')).join(', ')}]`;
  return {
    compare: (operator, operand, tenant) =>
      operator === '='
        ? `(${column} = ${operand} AND ${words} @> ARRAY[${hashOf(column, operand, tenant)}])`
        : `${column} ${operator} ${operand}`,
    any: (operands, tenant) =>
      `(${column} = ANY (${operands}) AND ${words} && ARRAY(SELECT ${hashOf(column, 'word', tenant)} FROM unnest(${operands}) AS word))`,
  };
}

/** See the index calls_account_words. With the account around it, what a call is looked for by is found in no other account. */
export const inMetadata: Pick<Field, 'contains'> = {
  contains: (operand, tenant) =>
    `('{"' || account_id::text || '":' || metadata::text || '}')::jsonb @> jsonb_build_object(${tenant}::text, ${operand})`,
};
