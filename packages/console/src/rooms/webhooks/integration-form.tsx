import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/errors';
import { useFormChange } from '../../components/form-change';
import { Button } from '../../components/ui/button';
import { CheckField, TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { webhookTypes } from './integration-settings';
import type { IntegrationSettings } from './integration-settings';

interface IntegrationFormProps {
  /** Undefined: a new integration. */
  settings?: IntegrationSettings;
  error: Error | null;
  pending: boolean;
  onSubmit: (settings: IntegrationSettings) => void;
}

const typeWords: Record<string, () => string> = {
  'channel-create': m.webhooks_type_create,
  'channel-answer': m.webhooks_type_answer,
  'channel-hangup': m.webhooks_type_hangup,
  'call-recorded': m.webhooks_type_recorded,
  'call-priced': m.webhooks_type_priced,
};

export function IntegrationForm({ settings, error, pending, onSubmit }: IntegrationFormProps) {
  const errors = fieldErrors(error);
  const { changed, form } = useFormChange();
  const chosen = settings?.webhookTypes ?? webhookTypes;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => {
      const value = values.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    onSubmit({
      gateway: text('gateway'),
      webhookUrl: text('webhookUrl'),
      enabled: values.has('enabled'),
      constraint: settings?.constraint ?? {},
      webhookTypes: webhookTypes.filter((type) => values.has(type)),
    });
  };
  const urlError = errors.webhookUrl ?? errors['metadata.webhookUrl'] ?? errors.metadata;
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate {...form}>
      {error && <ErrorView error={error} />}
      <TextField
        label={m.webhooks_name()}
        name="gateway"
        defaultValue={settings?.gateway}
        hint={m.webhooks_name_hint()}
        error={errors.gateway}
      />
      <TextField
        label={m.webhooks_url()}
        name="webhookUrl"
        type="url"
        placeholder="https://crm.example.com/sabia"
        defaultValue={settings?.webhookUrl}
        error={urlError}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">{m.webhooks_types()}</legend>
        {webhookTypes.map((type) => (
          <CheckField
            key={type}
            name={type}
            defaultChecked={chosen.includes(type)}
            label={
              <span>
                <code className="font-mono text-xs">{type}</code>
                <span className="ml-2 font-normal text-soft">{typeWords[type]?.()}</span>
              </span>
            }
          />
        ))}
      </fieldset>
      <CheckField label={m.webhooks_enabled()} name="enabled" defaultChecked={settings?.enabled ?? true} />
      <div className="flex justify-end">
        <Button look="primary" type="submit" disabled={pending || (settings !== undefined && !changed)}>
          {settings === undefined ? m.shell_create() : m.shell_save()}
        </Button>
      </div>
    </form>
  );
}
