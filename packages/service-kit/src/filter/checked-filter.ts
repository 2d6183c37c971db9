import type { Comparison, NamedField } from './resource';

/** The left side of a comparison: a field, or a path inside a json field. */
export interface Target {
  field: NamedField;
  path: readonly string[];
}

/** A point in time: an instant, or a local time in the account's zone. */
export type Moment = { instant: string } | { local: string };

export type Operand =
  | { type: 'text'; value: string }
  | { type: 'integer'; value: number }
  | { type: 'decimal'; value: string }
  | { type: 'boolean'; value: boolean }
  | { type: 'uuid'; value: string }
  | { type: 'timestamp'; value: Moment };

/** Checked against the resource: every value of this type compiles to SQL that PostgreSQL accepts. */
export type Condition =
  | { kind: 'and' | 'or'; conditions: Condition[] }
  | { kind: 'not'; condition: Condition }
  | { kind: 'constant'; value: boolean }
  | { kind: 'null'; target: Target }
  | { kind: 'compare'; target: Target; operator: Comparison; operand: Operand }
  | { kind: 'any'; target: Target; operands: Operand[] }
  | { kind: 'like'; target: Target; pattern: string; ignoreCase: boolean }
  | { kind: 'regexp'; target: Target; pattern: string; ignoreCase: boolean }
  | { kind: 'contains'; field: NamedField; json: string };

export interface OrderTerm {
  target: Target;
  descending: boolean;
}

export interface Selection {
  /** `only` these fields, or all `except` these. */
  mode: 'only' | 'except';
  names: string[];
}

export interface CheckedFilter {
  /** Undefined: every row of the account. */
  where?: Condition;
  /** Undefined: the default order of the resource. */
  order?: OrderTerm[];
  limit: number;
  offset: number;
  fields?: Selection;
  include: string[];
  /** Of the account; dates without a zone are read in it. */
  timeZone: string;
}

export const allOf = (conditions: Condition[]): Condition | undefined => {
  const [first, ...rest] = conditions;
  return first === undefined || rest.length === 0 ? first : { kind: 'and', conditions };
};
