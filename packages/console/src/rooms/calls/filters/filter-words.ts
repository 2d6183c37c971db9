import { formatDateTime, formatNumber } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { directionName, directions, statusName, statuses } from '../call-words';
import { causeWords, hangupCauses } from '../causes';
import type { CallFilters, Condition } from './call-filters';
import { fields, isFieldName } from './filter-fields';
import type { FieldKind, FieldName, Operator, Order } from './filter-fields';

const fieldNames: Record<FieldName, () => string> = {
  to: m.calls_field_to,
  from: m.calls_field_from,
  status: m.calls_field_status,
  direction: m.calls_field_direction,
  hangup_cause: m.calls_field_hangup_cause,
  recorded: m.calls_field_recorded,
  duration: m.calls_field_duration,
  call_price: m.calls_field_call_price,
  minute_price: m.calls_field_minute_price,
  billed_seconds: m.calls_field_billed_seconds,
  email: m.calls_field_email,
  first_name: m.calls_field_first_name,
  last_name: m.calls_field_last_name,
  BINA: m.calls_field_bina,
  answered_at: m.calls_field_answered_at,
  ended_at: m.calls_field_ended_at,
  id: m.calls_field_id,
};

export function fieldName(field: string): string {
  if (isFieldName(field)) return fieldNames[field]();
  return field.startsWith('metadata.') ? field.slice('metadata.'.length) : field;
}

const operatorNames: Record<Operator, () => string> = {
  eq: m.calls_operator_eq,
  neq: m.calls_operator_neq,
  has: m.calls_operator_has,
  starts: m.calls_operator_starts,
  gte: m.calls_operator_gte,
  lte: m.calls_operator_lte,
  between: m.calls_operator_between,
  in: m.calls_operator_in,
  nin: m.calls_operator_nin,
};

const dateOperatorNames: Partial<Record<Operator, () => string>> = {
  eq: m.calls_operator_eq_date,
  gte: m.calls_operator_gte_date,
  lte: m.calls_operator_lte_date,
};

export const kindOf = (field: string): FieldKind => (isFieldName(field) ? fields[field] : 'text');

export function operatorName(operator: Operator, field: string): string {
  const named = kindOf(field) === 'date' ? dateOperatorNames[operator] : undefined;
  return (named ?? operatorNames[operator])();
}

const valueNames: Partial<Record<FieldName, (value: string) => string>> = {
  status: statusName,
  direction: directionName,
  hangup_cause: (cause) => causeWords(cause).title,
  recorded: (value) => (value === 'yes' ? m.calls_recorded_yes() : m.calls_recorded_no()),
};

const choiceValues: Partial<Record<FieldName, readonly string[]>> = {
  status: statuses,
  direction: directions,
  hangup_cause: hangupCauses,
  recorded: ['yes', 'no'],
};

/** The values of a field that has only a few. */
export function choicesOf(field: string): { value: string; label: string }[] {
  if (!isFieldName(field)) return [];
  return (choiceValues[field] ?? []).map((value) => ({ value, label: valueName(field, value) }));
}

function valueName(field: string, value: string): string {
  const named = isFieldName(field) ? valueNames[field] : undefined;
  if (named !== undefined) return value.split(',').map(named).join(', ');
  const kind = kindOf(field);
  if (kind === 'date') return dayName(value);
  return kind === 'number' && value !== '' && Number.isFinite(Number(value)) ? formatNumber(Number(value)) : value;
}

export function chipText({ field, operator, value }: Condition): string {
  const name = fieldName(field);
  if (operator === 'between') {
    const [low = '', high = ''] = value.split(',').map((each) => valueName(field, each));
    return m.calls_chip_between({ field: name, low, high });
  }
  const shown = valueName(field, value);
  if (operator === 'eq' || operator === 'in') return m.calls_chip({ field: name, value: shown });
  return m.calls_chip_other({ field: name, operator: operatorName(operator, field), value: shown });
}

/** A day is the same day wherever the reader is. */
export function dayName(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return day;
  const noon = new Date(`${day}T12:00:00Z`);
  return Number.isNaN(noon.getTime())
    ? day
    : formatDateTime(noon.toISOString(), { dateStyle: 'short', timeZone: 'UTC' });
}

export function periodText({ startDate, endDate }: CallFilters): string {
  if (startDate === undefined && endDate === undefined) return m.calls_period_all();
  if (endDate === undefined) return m.calls_period_since({ date: dayName(startDate!) });
  if (startDate === undefined) return m.calls_period_until({ date: dayName(endDate) });
  if (startDate === endDate) return dayName(startDate);
  return m.calls_period_between({ start: dayName(startDate), end: dayName(endDate) });
}

export const orderNames: Record<Order, () => string> = {
  'started_at DESC': m.calls_order_newest,
  'started_at ASC': m.calls_order_oldest,
  'duration DESC': m.calls_order_longest,
  'call_price DESC': m.calls_order_dearest,
};
