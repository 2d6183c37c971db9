export const operators = ['eq', 'neq', 'has', 'starts', 'gte', 'lte', 'between', 'in', 'nin'] as const;
export type Operator = (typeof operators)[number];

/** The first of each is the default of the API. */
export const orders = ['started_at DESC', 'started_at ASC', 'duration DESC', 'call_price DESC'] as const;
export type Order = (typeof orders)[number];

export type FieldKind = 'text' | 'number' | 'date' | 'choice';

const ofText = ['eq', 'neq', 'has', 'starts', 'in', 'nin'] as const;
const ofNumber = ['gte', 'lte', 'between', 'eq'] as const;
const ofDate = ['gte', 'lte', 'eq'] as const;
const ofChoice = ['eq', 'neq'] as const;

export const operatorsOf: Record<FieldKind, readonly Operator[]> = {
  text: ofText,
  number: ofNumber,
  date: ofDate,
  choice: ofChoice,
};

/** The fields that chips offer, in the order in which people look for them. */
export const fields = {
  to: 'text',
  from: 'text',
  status: 'choice',
  direction: 'choice',
  hangup_cause: 'choice',
  recorded: 'choice',
  duration: 'number',
  call_price: 'number',
  minute_price: 'number',
  billed_seconds: 'number',
  email: 'text',
  first_name: 'text',
  last_name: 'text',
  BINA: 'text',
  answered_at: 'date',
  ended_at: 'date',
  id: 'text',
} as const satisfies Record<string, FieldKind>;

export type FieldName = keyof typeof fields;

export const isFieldName = (name: string): name is FieldName => Object.hasOwn(fields, name);

/** Metadata is text, of which numbers can be compared as well. */
export function operatorsFor(field: string): readonly Operator[] {
  if (field === 'id') return ['eq'];
  if (field === 'recorded') return ['eq'];
  if (isFieldName(field)) return operatorsOf[fields[field]];
  return [...ofText, 'gte', 'lte', 'between'];
}
