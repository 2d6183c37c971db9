import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { Button, buttonStyle } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { ConfirmDialog } from '../../components/ui/confirm-dialog';
import { Loading } from '../../components/ui/state-views';
import { toast, toastError } from '../../components/ui/toast';
import { NotFound } from '../../layout/not-found';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { ExtensionForm } from './extension-form';
import { PhoneSetup } from './phone-setup';
import { deleteExtension, saveExtension, useExtension, useExtensionChange } from './queries';
import type { Extension } from './queries';
import { RegistrationBadge } from './registration-badge';
import { RegistrationCard } from './registration-card';
import { SipSettings } from './sip-settings';

export function Component() {
  const { id = '' } = useParams();
  return /^\d{1,15}$/.test(id) ? <ExtensionPage id={Number(id)} /> : <NotFound />;
}

function ExtensionPage({ id }: { id: number }) {
  const { data: extension } = useExtension(id);
  const [deleting, setDeleting] = useState(false);
  if (extension === undefined) return <Loading />;
  return (
    <Page
      title={`${extension.ramal} · ${extension.name}`}
      description={<RegistrationBadge registered={extension.registered} since={extension.registered_at} />}
      actions={
        <>
          <Link to={`/calls?from=${extension.ramal}`} className={buttonStyle()}>
            {m.extensions_calls_of()}
          </Link>
          <Button look="danger" onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden />
            {m.shell_delete()}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <div className="grid gap-5">
          <SipSettings extension={extension} />
          {extension.senha !== null && <PhoneSetup extension={extension} senha={extension.senha} />}
        </div>
        <div className="grid gap-5">
          <RegistrationCard id={id} />
          <EditCard key={extension.ramal} extension={extension} />
        </div>
      </div>
      <DeleteDialog extension={extension} open={deleting} onOpenChange={setDeleting} />
    </Page>
  );
}

function EditCard({ extension }: { extension: Extension }) {
  const save = useExtensionChange(saveExtension, () => toast(m.extensions_saved()));
  return (
    <Card>
      <CardHead title={m.shell_edit()} />
      <ExtensionForm
        extension={extension}
        error={save.error}
        pending={save.isPending}
        onSubmit={(values) => save.mutate({ id: extension.id, ...values })}
      />
    </Card>
  );
}

interface DeleteDialogProps {
  extension: Extension;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function DeleteDialog({ extension, open, onOpenChange }: DeleteDialogProps) {
  const navigate = useNavigate();
  const remove = useExtensionChange(deleteExtension, () => {
    toast(m.extensions_deleted());
    void navigate('/extensions', { replace: true });
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={m.extensions_delete_title({ ramal: extension.ramal })}
      confirm={m.shell_delete()}
      pending={remove.isPending}
      onConfirm={() => remove.mutate(extension.id, { onError: toastError })}
    >
      {m.extensions_delete_text()}
    </ConfirmDialog>
  );
}
