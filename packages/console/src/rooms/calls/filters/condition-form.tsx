import { useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '../../../components/ui/button';
import { SelectField, TextField } from '../../../components/ui/field';
import { formValues } from '../../../components/form-values';
import { m } from '../../../paraglide/messages';
import type { Condition } from './call-filters';
import { fields, operatorsFor } from './filter-fields';
import type { Operator } from './filter-fields';
import { choicesOf, fieldName, kindOf, operatorName } from './filter-words';

const METADATA = 'metadata.';

interface ConditionFormProps {
  initial?: Condition;
  onSubmit: (condition: Condition) => void;
}

export function ConditionForm({ initial, onSubmit }: ConditionFormProps) {
  const [field, setField] = useState(() => (initial?.field.startsWith(METADATA) ? METADATA : (initial?.field ?? 'to')));
  const offered = operatorsFor(field);
  const [operator, setOperator] = useState<Operator>(initial?.operator ?? offered[0]!);
  const [missing, setMissing] = useState(false);

  const chooseField = (chosen: string) => {
    setField(chosen);
    setOperator(operatorsFor(chosen)[0]!);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { path = '', value = '', low = '', high = '' } = formValues(event);
    const given = operator === 'between' ? `${low.trim()},${high.trim()}` : value.trim();
    const complete = operator === 'between' ? low !== '' && high !== '' : given !== '';
    setMissing(!complete);
    if (complete) onSubmit({ field: field === METADATA ? `${METADATA}${path.trim()}` : field, operator, value: given });
  };

  const names = [...new Set([...Object.keys(fields), ...(field === METADATA ? [] : [field])])];
  return (
    <form className="grid gap-3" onSubmit={submit} noValidate={field !== METADATA}>
      <SelectField
        label={m.calls_filter_field()}
        value={field}
        onChange={(event) => chooseField(event.target.value)}
        choices={[
          ...names.map((name) => ({ value: name, label: fieldName(name) })),
          { value: METADATA, label: m.calls_field_metadata() },
        ]}
      />
      {field === METADATA && (
        <TextField
          label={m.calls_filter_path()}
          hint={m.calls_filter_path_hint()}
          name="path"
          defaultValue={initial?.field.slice(METADATA.length)}
          required
        />
      )}
      {offered.length > 1 && (
        <SelectField
          label={m.calls_filter_operator()}
          value={operator}
          onChange={(event) => setOperator(offered.find((each) => each === event.target.value) ?? 'eq')}
          choices={offered.map((each) => ({ value: each, label: operatorName(each, field) }))}
        />
      )}
      <ValueFields
        key={`${field} ${operator}`}
        field={field}
        operator={operator}
        value={initial?.value ?? ''}
        error={missing ? m.calls_filter_required() : undefined}
      />
      <Button look="primary" type="submit">
        {m.calls_filter_apply()}
      </Button>
    </form>
  );
}

interface ValueFieldsProps {
  field: string;
  operator: Operator;
  value: string;
  error: string | undefined;
}

function ValueFields({ field, operator, value, error }: ValueFieldsProps) {
  const kind = kindOf(field);
  const choices = choicesOf(field);
  if (choices.length > 0) {
    return <SelectField label={m.calls_filter_value()} name="value" defaultValue={value} choices={choices} />;
  }
  const input = {
    type: kind === 'date' ? 'date' : 'text',
    inputMode: kind === 'number' ? ('decimal' as const) : undefined,
    autoComplete: 'off',
  };
  if (operator === 'between') {
    const [low, high] = value.split(',');
    return (
      <div className="grid grid-cols-2 gap-3">
        <TextField label={m.calls_filter_from_value()} name="low" defaultValue={low} error={error} {...input} />
        <TextField label={m.calls_filter_to_value()} name="high" defaultValue={high} {...input} />
      </div>
    );
  }
  const isList = operator === 'in' || operator === 'nin';
  const hint = isList ? m.calls_filter_list_hint() : field === 'to' ? m.calls_filter_number_hint() : undefined;
  return (
    <TextField label={m.calls_filter_value()} name="value" defaultValue={value} hint={hint} error={error} {...input} />
  );
}
