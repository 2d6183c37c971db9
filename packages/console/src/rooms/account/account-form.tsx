import type { Account, UpdateAccountRequest } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { sabia } from '../../api/client';
import { fieldErrors } from '../../api/errors';
import { sessionKey } from '../../api/session';
import { useFormChange } from '../../components/form-change';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { SelectField, TextField } from '../../components/ui/field';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { toast } from '../../components/ui/toast';
import { zoneName } from '../../i18n/format';
import { m } from '../../paraglide/messages';

const key = ['account'];
const formats = [
  { value: 'wav', label: 'WAV' },
  { value: 'mp3', label: 'MP3' },
];

const languages = [
  { value: 'pt-BR', label: 'Português' },
  { value: 'en', label: 'English' },
];

/** Names such as UTC are valid although browsers do not list them. */
const zonesWith = (current: string) =>
  [...new Set([current, ...Intl.supportedValuesOf('timeZone')])]
    .map((zone) => ({ value: zone, label: `${zoneName(zone)} · ${placeOf(zone)}` }))
    .sort((one, other) => one.label.localeCompare(other.label));

/** America/Sao_Paulo → Sao Paulo */
const placeOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

/** The company's data; read-only for those who may not change it. */
export function AccountForm({ editable }: { editable: boolean }) {
  const account = useQuery({ queryKey: key, queryFn: () => sabia.account.get() });
  return (
    <Card>
      <CardHead title={m.account_company()} description={account.data?.domain} />
      {account.error && <ErrorView error={account.error} onRetry={() => void account.refetch()} />}
      {account.isPending && <Loading />}
      {/* Drawn anew when it has been saved, so that there is nothing to save again. */}
      {account.data && <Fields key={JSON.stringify(account.data)} account={account.data} editable={editable} />}
    </Card>
  );
}

function Fields({ account, editable }: { account: Account; editable: boolean }) {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: UpdateAccountRequest) => sabia.account.update(body),
    async onSuccess() {
      await Promise.all([key, sessionKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
      toast(m.account_saved());
    },
  });
  const errors = fieldErrors(save.error);
  const { changed, form } = useFormChange();
  const submit = (event: FormEvent<HTMLFormElement>) => save.mutate(formValues(event));
  return (
    <form onSubmit={submit} noValidate {...form}>
      <fieldset disabled={!editable} className="grid gap-4">
        {save.error && <ErrorView error={save.error} />}
        <TextField label={m.account_name()} name="name" defaultValue={account.name} error={errors.name} />
        <TextField
          label={m.account_email()}
          name="email"
          type="email"
          defaultValue={account.email}
          error={errors.email}
        />
        <TextField
          label={m.account_phone()}
          name="phone"
          type="tel"
          defaultValue={account.phone}
          error={errors.phone}
        />
        <SelectField
          label={m.account_zone()}
          name="timeZone"
          defaultValue={account.timeZone}
          choices={zonesWith(account.timeZone)}
          hint={m.account_zone_hint()}
          error={errors.timeZone}
        />
        <TextField
          label={m.account_area_code()}
          name="areaCode"
          inputMode="numeric"
          defaultValue={account.areaCode ?? ''}
          hint={m.account_area_code_hint()}
          error={errors.areaCode}
        />
        <SelectField
          label={m.account_language()}
          name="language"
          defaultValue={account.language}
          choices={languages}
          error={errors.language}
        />
        <SelectField
          label={m.account_format()}
          name="recordingFormat"
          defaultValue={account.recordingFormat}
          choices={formats}
          error={errors.recordingFormat}
        />
        {editable && (
          <div className="flex justify-end">
            <Button look="primary" type="submit" disabled={save.isPending || !changed}>
              {m.shell_save()}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  );
}
