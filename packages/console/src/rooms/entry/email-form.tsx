import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';

interface EmailFormProps {
  text: string;
  submit: string;
  send: (email: string) => Promise<unknown>;
  /** What is shown once the message was asked for. */
  sent: (email: string) => string;
}

/** Asks for an e-mail address to send a link to. */
export function EmailForm({ text, submit, send, sent }: EmailFormProps) {
  const sending = useMutation({ mutationFn: send });
  const onSubmit = (event: FormEvent<HTMLFormElement>) => sending.mutate(formValues(event).email ?? '');
  if (sending.isSuccess) return <p role="status">{sent(sending.variables)}</p>;
  return (
    <form className="grid gap-4" onSubmit={onSubmit}>
      <p className="text-soft">{text}</p>
      {sending.error && <ErrorView error={sending.error} />}
      <TextField
        label={m.entry_email()}
        name="email"
        type="email"
        autoComplete="email"
        required
        error={fieldErrors(sending.error).email}
      />
      <Button look="primary" type="submit" disabled={sending.isPending}>
        {submit}
      </Button>
    </form>
  );
}
