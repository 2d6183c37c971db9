import { useState } from 'react';
import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/errors';
import { useFormChange } from '../../components/form-change';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { CheckField, TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { generatePassword } from './generate-password';
import type { Extension } from './queries';

export interface ExtensionValues {
  ramal?: string;
  senha?: string;
  first_name: string;
  last_name: string;
  email_address: string;
  bina: string;
  gravar_audio: 0 | 1;
}

interface ExtensionFormProps {
  /** Undefined: a new one. */
  extension?: Extension;
  error: Error | null;
  pending: boolean;
  onSubmit: (values: ExtensionValues) => void;
}

export function ExtensionForm({ extension, error, pending, onSubmit }: ExtensionFormProps) {
  const [password, setPassword] = useState(extension === undefined ? generatePassword : '');
  const errors = fieldErrors(error);
  const { changed, form } = useFormChange();
  // A generated password is not typed, and no change that the form notices.
  const isUnchanged = extension !== undefined && !changed && password === '';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const values = formValues(event);
    onSubmit({
      ...(values.ramal ? { ramal: values.ramal } : {}),
      ...(password === '' ? {} : { senha: password }),
      first_name: values.first_name ?? '',
      last_name: values.last_name ?? '',
      email_address: values.email_address ?? '',
      bina: values.bina ?? '',
      gravar_audio: values.gravar_audio === 'on' ? 1 : 0,
    });
  };
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate {...form}>
      {error && <ErrorView error={error} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={m.extensions_first_name()}
          name="first_name"
          defaultValue={extension?.first_name}
          error={errors.first_name}
        />
        <TextField
          label={m.extensions_last_name()}
          name="last_name"
          defaultValue={extension?.last_name}
          error={errors.last_name}
        />
      </div>
      <TextField
        label={m.extensions_email()}
        name="email_address"
        type="email"
        defaultValue={extension?.email_address}
        hint={m.extensions_email_hint()}
        error={errors.email_address}
      />
      <TextField
        label={m.extensions_ramal()}
        name="ramal"
        inputMode="numeric"
        defaultValue={extension?.ramal}
        hint={extension === undefined ? m.extensions_ramal_hint() : undefined}
        error={errors.ramal}
      />
      <div className="grid gap-2">
        <TextField
          label={m.extensions_password()}
          name="senha"
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          value={password}
          placeholder={extension === undefined ? undefined : '••••••••••••'}
          onChange={(event) => setPassword(event.target.value)}
          hint={extension === undefined ? m.extensions_password_hint() : m.extensions_password_kept()}
          error={errors.senha}
        />
        <div>
          <Button size="small" onClick={() => setPassword(generatePassword())}>
            {m.extensions_generate()}
          </Button>
        </div>
      </div>
      <TextField
        label={m.extensions_bina()}
        name="bina"
        type="tel"
        defaultValue={extension?.bina ?? ''}
        error={errors.bina}
      />
      <CheckField label={m.extensions_record()} name="gravar_audio" defaultChecked={extension?.gravar_audio === 1} />
      <div className="flex justify-end">
        <Button look="primary" type="submit" disabled={pending || isUnchanged}>
          {extension === undefined ? m.shell_create() : m.shell_save()}
        </Button>
      </div>
    </form>
  );
}
