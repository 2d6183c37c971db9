import type { SignUpRequest } from '@sabia/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { sabia } from '../../api/client';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { SelectField, TextField } from '../../components/ui/field';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { toast, toastError } from '../../components/ui/toast';
import { m } from '../../paraglide/messages';
import { getLocale } from '../../paraglide/runtime';
import { EntryFrame, EntryLink } from './entry-frame';

/** The value that the API calls "other". */
const OTHER_CRM = 'Outros';

export function Component() {
  const choices = useQuery({
    queryKey: ['sign-up-choices'],
    queryFn: () => sabia.account.signUpChoices(),
    staleTime: Infinity,
  });
  const signUp = useMutation({
    mutationFn: (values: Record<string, string>) =>
      sabia.account.signUp({
        ...values,
        language: getLocale(),
        domain: values.name ? `${values.name}${choices.data?.domainSuffix ?? ''}` : '',
      } as SignUpRequest),
  });
  const email = signUp.variables?.email ?? '';
  if (signUp.isSuccess) return <Sent email={email} />;
  return (
    <EntryFrame
      title={m.entry_signup_title()}
      lead={m.entry_signup_lead()}
      foot={
        <>
          {m.entry_has_account()} <EntryLink to="/login">{m.entry_to_login()}</EntryLink>
        </>
      }
    >
      {choices.error && <ErrorView error={choices.error} onRetry={() => void choices.refetch()} />}
      {choices.isPending && <Loading />}
      {choices.data && (
        <SignUpForm
          choices={choices.data}
          error={signUp.error}
          pending={signUp.isPending}
          onSubmit={(values) => signUp.mutate(values)}
        />
      )}
    </EntryFrame>
  );
}

interface SignUpFormProps {
  choices: { domainSuffix?: string; crms?: string[]; userQuantities?: string[] };
  error: Error | null;
  pending: boolean;
  onSubmit: (values: Record<string, string>) => void;
}

function SignUpForm({ choices, error, pending, onSubmit }: SignUpFormProps) {
  const [name, setName] = useState('');
  const errors = fieldErrors(error);
  const unchosen = { value: '', label: m.entry_choose() };
  const crms = (choices.crms ?? []).map((value) => ({
    value,
    label: value === OTHER_CRM ? m.entry_crm_other() : value,
  }));
  const quantities = (choices.userQuantities ?? []).map((value) => ({
    value,
    label: m.entry_users_choice({ quantity: value }),
  }));
  const submit = (event: FormEvent<HTMLFormElement>) => onSubmit(formValues(event));
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      {error && <ErrorView error={error} />}
      <TextField
        label={m.entry_organization()}
        name="organization_name"
        autoComplete="organization"
        error={errors.organization_name}
      />
      <TextField
        label={m.entry_domain()}
        name="name"
        autoCapitalize="none"
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.target.value.toLowerCase())}
        hint={m.entry_domain_hint({ domain: `${name || 'empresa'}${choices.domainSuffix ?? ''}` })}
        error={errors.domain}
      />
      <TextField label={m.entry_email()} name="email" type="email" autoComplete="email" error={errors.email} />
      <TextField
        label={m.entry_password()}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={m.entry_password_hint()}
        error={errors.password}
      />
      <TextField
        label={m.entry_phone()}
        name="phone"
        type="tel"
        autoComplete="tel"
        hint={m.entry_phone_hint()}
        error={errors.phone}
      />
      <SelectField label={m.entry_crm()} name="crm" defaultValue="" choices={[unchosen, ...crms]} error={errors.crm} />
      <SelectField
        label={m.entry_users()}
        name="user_quantity"
        defaultValue=""
        choices={[unchosen, ...quantities]}
        error={errors.user_quantity}
      />
      <Button look="primary" type="submit" disabled={pending}>
        {m.entry_signup_submit()}
      </Button>
    </form>
  );
}

function Sent({ email }: { email: string }) {
  const resend = useMutation({
    mutationFn: () => sabia.account.resendConfirmation(email),
    onSuccess: () => toast(m.entry_resent()),
    onError: toastError,
  });
  return (
    <EntryFrame title={m.entry_sent_title()} foot={<EntryLink to="/login">{m.entry_to_login()}</EntryLink>}>
      <p role="status">{m.entry_sent_text({ email })}</p>
      <Button className="mt-4" onClick={() => resend.mutate()} disabled={resend.isPending}>
        {m.entry_resend()}
      </Button>
    </EntryFrame>
  );
}
