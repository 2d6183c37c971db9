import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { CopyButton } from '../../components/ui/copy-button';
import { Dialog } from '../../components/ui/dialog';
import { SelectField, TextField } from '../../components/ui/field';
import { SettingsList } from '../../components/ui/settings-list';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { useCreateToken } from './queries';

const DAY = 86_400;

export function CreateToken({ onClose }: { onClose: () => void }) {
  const create = useCreateToken();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { name = '', ttl = '-1' } = formValues(event);
    create.mutate({ ttl: Number(ttl), ...(name.trim() === '' ? {} : { name }) });
  };
  const token = create.data?.id;
  if (token !== undefined) {
    const curl = `curl ${location.origin}/api/v1/users/me -H 'Authorization: ${token}'`;
    return (
      <Dialog open onOpenChange={onClose} title={m.tokens_created_title()} description={m.tokens_created_text()}>
        <SettingsList settings={[{ name: m.tokens_prefix(), value: token }]} />
        <div className="mt-4">
          <p className="mb-1 text-sm font-medium">{m.tokens_curl()}</p>
          <pre className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-xs" tabIndex={0}>
            {curl}
          </pre>
          <CopyButton text={curl} label={m.shell_copy_as_curl()} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog open onOpenChange={onClose} title={m.tokens_new()}>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {create.error && <ErrorView error={create.error} />}
        <TextField
          label={m.tokens_name()}
          name="name"
          hint={m.tokens_name_hint()}
          error={fieldErrors(create.error).name}
        />
        <SelectField
          label={m.tokens_ttl()}
          name="ttl"
          defaultValue={String(365 * DAY)}
          choices={[
            { value: String(DAY), label: m.tokens_ttl_day() },
            { value: String(30 * DAY), label: m.tokens_ttl_month() },
            { value: String(365 * DAY), label: m.tokens_ttl_year() },
            { value: '-1', label: m.tokens_ttl_never() },
          ]}
        />
        <div className="flex justify-end">
          <Button look="primary" type="submit" disabled={create.isPending}>
            {m.shell_create()}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
