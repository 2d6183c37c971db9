import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/errors';
import { useFormChange } from '../../components/form-change';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { SelectField, TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import type { User } from './queries';

export interface PersonValues {
  name: string;
  email: string;
  phone: string;
  role: 'ADMIN' | 'USER';
  /** Asked for only when the person is new. */
  password: string;
}

interface PersonFormProps {
  /** Undefined: a new person. */
  user?: User;
  error: Error | null;
  pending: boolean;
  onSubmit: (values: PersonValues) => void;
}

export function PersonForm({ user, error, pending, onSubmit }: PersonFormProps) {
  const errors = fieldErrors(error);
  const { changed, form } = useFormChange();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { name = '', email = '', phone = '', role, password = '' } = formValues(event);
    onSubmit({ name, email, phone, role: role === 'ADMIN' ? 'ADMIN' : 'USER', password });
  };
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate {...form}>
      {error && <ErrorView error={error} />}
      <TextField label={m.people_name()} name="name" defaultValue={user?.name} error={errors.name} />
      <TextField label={m.people_email()} name="email" type="email" defaultValue={user?.email} error={errors.email} />
      {user === undefined && (
        <TextField
          label={m.people_password()}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={m.people_password_hint()}
          error={errors.password}
        />
      )}
      <TextField
        label={m.people_phone()}
        name="phone"
        type="tel"
        defaultValue={user?.phone ?? ''}
        error={errors.phone}
      />
      <SelectField
        label={m.people_role()}
        name="role"
        defaultValue={user?.role ?? 'USER'}
        hint={m.people_role_hint()}
        error={errors.role}
        choices={[
          { value: 'USER', label: m.people_user() },
          { value: 'ADMIN', label: m.people_admin() },
        ]}
      />
      <div className="flex justify-end">
        <Button look="primary" type="submit" disabled={pending || (user !== undefined && !changed)}>
          {user === undefined ? m.shell_create() : m.shell_save()}
        </Button>
      </div>
    </form>
  );
}
