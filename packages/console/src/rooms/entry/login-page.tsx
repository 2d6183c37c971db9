import { SabiaError } from '@sabia/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { fetchSession, logIn, sessionKey } from '../../api/session';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { EntryFrame, EntryLink } from './entry-frame';

export function Component() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const login = useMutation({
    mutationFn: logIn,
    async onSuccess() {
      queries.setQueryData(sessionKey, await fetchSession());
      await navigate(pathInside(search.get('next')), { replace: true });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { email = '', password = '' } = formValues(event);
    login.mutate({ email, password });
  };
  const unconfirmed = login.error instanceof SabiaError && login.error.code === 'LOGIN_FAILED_EMAIL_NOT_VERIFIED';
  return (
    <EntryFrame
      title={m.entry_login_title()}
      foot={
        <>
          {m.entry_no_account()} <EntryLink to="/signup">{m.entry_to_signup()}</EntryLink>
        </>
      }
    >
      <form className="grid gap-4" onSubmit={submit}>
        {login.error && <ErrorView error={login.error} />}
        {unconfirmed && <EntryLink to="/resend">{m.entry_resend()}</EntryLink>}
        <TextField label={m.entry_email()} name="email" type="email" autoComplete="username" required />
        <TextField
          label={m.entry_password()}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <Button look="primary" type="submit" disabled={login.isPending}>
          {m.entry_login_submit()}
        </Button>
        <p className="text-center text-sm">
          <EntryLink to="/forgot">{m.entry_forgot()}</EntryLink>
        </p>
      </form>
    </EntryFrame>
  );
}

/** Only a path of the console itself: an address of another site must not be reached through a link to the login. */
function pathInside(next: string | null): string {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/';
}
