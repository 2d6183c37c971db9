import { useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '../../../components/ui/button';
import { TextAreaField } from '../../../components/ui/field';
import { formValues } from '../../../components/form-values';
import { m } from '../../../paraglide/messages';
import { parseWhere } from './call-filters';

/** What chips cannot express, in the API's own language. */
export function JsonForm({ initial, onSubmit }: { initial?: string; onSubmit: (where: string) => void }) {
  const [invalid, setInvalid] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { where = '' } = formValues(event);
    const valid = parseWhere(where) !== undefined;
    setInvalid(!valid);
    if (valid) onSubmit(where.trim());
  };
  return (
    <form className="grid gap-3" onSubmit={submit}>
      <TextAreaField
        label={m.calls_filter_json()}
        hint={m.calls_filter_json_hint()}
        error={invalid ? m.calls_filter_json_invalid() : undefined}
        name="where"
        className="font-mono text-sm"
        spellCheck={false}
        defaultValue={initial ?? '{"or": [{"hangup_cause": "USER_BUSY"}, {"duration": {"gt": 60}}]}'}
      />
      <Button look="primary" type="submit">
        {m.calls_filter_apply()}
      </Button>
    </form>
  );
}
