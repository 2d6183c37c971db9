import { Dialog } from '../../components/ui/dialog';
import { ConfirmDialog } from '../../components/ui/confirm-dialog';
import { toast, toastError } from '../../components/ui/toast';
import { m } from '../../paraglide/messages';
import { PersonForm } from './person-form';
import { createUser, deleteUser, updateUser, usePeopleChange } from './queries';
import type { User } from './queries';

interface Closable {
  onClose: () => void;
}

export function CreatePerson({ onClose }: Closable) {
  const create = usePeopleChange(createUser, () => {
    toast(m.people_created());
    onClose();
  });
  return (
    <Dialog open onOpenChange={onClose} title={m.people_new()}>
      <PersonForm
        error={create.error}
        pending={create.isPending}
        onSubmit={({ phone, ...values }) => create.mutate({ ...values, ...(phone === '' ? {} : { phone }) })}
      />
    </Dialog>
  );
}

export function EditPerson({ user, onClose }: { user: User } & Closable) {
  const save = usePeopleChange(updateUser, () => {
    toast(m.people_saved());
    onClose();
  });
  return (
    <Dialog open onOpenChange={onClose} title={user.name}>
      <PersonForm
        user={user}
        error={save.error}
        pending={save.isPending}
        onSubmit={({ name, email, phone, role }) => save.mutate({ uuid: user.uuid, name, email, phone, role })}
      />
    </Dialog>
  );
}

export function DeletePerson({ user, onClose }: { user: User } & Closable) {
  const remove = usePeopleChange(deleteUser, () => {
    toast(m.people_deleted());
    onClose();
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={m.people_delete_title({ name: user.name })}
      confirm={m.shell_delete()}
      pending={remove.isPending}
      onConfirm={() => remove.mutate(user.uuid, { onError: toastError })}
    >
      {m.people_delete_text()}
    </ConfirmDialog>
  );
}
