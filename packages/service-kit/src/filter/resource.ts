export type Comparison = '=' | '<' | '<=' | '>' | '>=';

export type FieldType = 'text' | 'integer' | 'decimal' | 'boolean' | 'timestamp' | 'uuid' | 'json';

export interface Field {
  type: FieldType;
  /** A column, or any SQL expression over the resource's tables. Never anything that came from a client. */
  sql: string;
  /** Other names under which clients know this field. */
  aliases?: readonly string[];
  /** Normalises a text that can be written in several ways to the form of the column. Equality uses it, patterns do not. */
  read?: (text: string) => string;
  /** Aliases that the response has too, so that `fields` may select them. */
  answerAliases?: readonly string[];
  /**
   * Writes a comparison with an operand, given as SQL, in a form that an index supports better than the plain column. `tenant`: the
   * account of the list, as SQL.
   */
  compare?: (operator: Comparison, operand: string, tenant: string) => string;
  /** The same for several operands, one of which is to be equal: an array, as SQL. */
  any?: (operands: string, tenant: string) => string;
  /** The same for an object that a json field is to contain. */
  contains?: (operand: string, tenant: string) => string;
  /** An expression with the same order that has an index. */
  order?: string;
}

export interface ResourceDefinition {
  /** The name that error messages use, e.g. "user". */
  name: string;
  /** The select list, e.g. `id, created_at AS "createdAt"`. */
  columns: string;
  /** The text after FROM. */
  from: string;
  /** The column that holds the account. Every query of a list is bound to it. Null: a list of the operator, over all accounts. */
  tenant: string | null;
  /** Unique within the list; the last order of every list, so that pages neither repeat nor skip a row. */
  key: string;
  /** The fields that clients may filter by, order by and select, by JSON name. */
  fields: Record<string, Field>;
  /** For a list that grows with use: the fields that an index leads to. A filter by any other has to look at every row of the account. */
  indexed?: readonly string[];
  /** Names that `include` accepts. */
  includes?: readonly string[];
  /** When a client asks for no order. */
  defaultOrder: { field: string; descending: boolean };
  defaultLimit: number;
  maximumLimit: number;
}

export interface Resource extends ResourceDefinition {
  /** By name and by alias. */
  lookup(name: string): NamedField | undefined;
}

export interface NamedField extends Field {
  name: string;
}

/** A list that answers an array: id ascending, at most a thousand. */
export const arrayLimits = { defaultLimit: 1000, maximumLimit: 1000 };

/** A list that answers pages: fifty rows unless asked otherwise. */
export const pageLimits = { defaultLimit: 50, maximumLimit: 1000 };

/** Declares in one place everything that a filter of this list may name. */
export function defineResource(definition: ResourceDefinition): Resource {
  const byName = new Map<string, NamedField>();
  for (const [name, field] of Object.entries(definition.fields)) {
    for (const known of [name, ...(field.aliases ?? []), ...(field.answerAliases ?? [])]) {
      if (byName.has(known) || known.includes('.')) {
        throw new TypeError(`resource ${definition.name}: "${known}" cannot be declared (twice, or with a dot)`);
      }
      byName.set(known, { ...field, name });
    }
  }
  if (!byName.has(definition.defaultOrder.field)) {
    throw new TypeError(`resource ${definition.name}: the default order names an unknown field`);
  }
  return { ...definition, lookup: (name) => byName.get(name) };
}
