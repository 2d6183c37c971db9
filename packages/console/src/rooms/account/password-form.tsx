import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { sabia } from '../../api/client';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { toast } from '../../components/ui/toast';
import { useSession } from '../../api/session';
import { m } from '../../paraglide/messages';

/** Changes the reader's own password; every other session of theirs ends. */
export function PasswordForm() {
  const { user } = useSession();
  const change = useMutation({
    mutationFn: (body: { currentPassword: string; password: string }) => sabia.users.changePassword(body),
  });
  const errors = fieldErrors(change.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget;
    const { currentPassword = '', password = '' } = formValues(event);
    change.mutate(
      { currentPassword, password },
      {
        onSuccess: () => {
          form.reset();
          toast(m.account_password_changed());
        },
      },
    );
  };
  return (
    <Card>
      <CardHead title={m.account_password()} description={user.email} />
      <form className="grid gap-4" onSubmit={submit}>
        {change.error && <ErrorView error={change.error} />}
        <TextField
          label={m.account_current_password()}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
          error={errors.currentPassword}
        />
        <TextField
          label={m.account_new_password()}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={m.entry_password_hint()}
          required
          error={errors.password}
        />
        <div className="flex justify-end">
          <Button look="primary" type="submit" disabled={change.isPending}>
            {m.shell_save()}
          </Button>
        </div>
      </form>
    </Card>
  );
}
