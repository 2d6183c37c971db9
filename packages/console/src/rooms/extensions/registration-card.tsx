import { useState } from 'react';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { ConfirmDialog } from '../../components/ui/confirm-dialog';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { toast, toastError } from '../../components/ui/toast';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { throwOut, useExtensionChange, useRegistration } from './queries';

/** The phone that is connected right now, and the way to disconnect it. */
export function RegistrationCard({ id }: { id: number }) {
  const { data: registration, error, refetch } = useRegistration(id);
  const [asking, setAsking] = useState(false);
  const end = useExtensionChange(throwOut, () => {
    setAsking(false);
    toast(m.extensions_thrown_out());
  });
  const rows = [
    [m.extensions_agent(), registration?.user_agent],
    [m.extensions_address(), registration?.address],
    [m.extensions_transport(), registration?.transport],
    [m.extensions_expires(), registration?.expires_at && formatDateTime(registration.expires_at)],
  ];
  return (
    <Card>
      <CardHead
        title={m.extensions_registration()}
        actions={
          registration?.registered === true && (
            <Button size="small" look="danger" onClick={() => setAsking(true)}>
              {m.extensions_throw_out()}
            </Button>
          )
        }
      />
      {error && <ErrorView error={error} onRetry={() => void refetch()} />}
      {registration === undefined && !error && <Loading />}
      {registration?.registered === false && <p className="text-soft">{m.extensions_registration_none()}</p>}
      {registration?.registered === true && (
        <dl className="grid gap-2 text-sm">
          {rows.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-4">
              <dt className="text-soft">{name}</dt>
              <dd className="min-w-0 text-right break-words">{value ?? '–'}</dd>
            </div>
          ))}
        </dl>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={m.extensions_throw_out_title()}
        confirm={m.extensions_throw_out()}
        pending={end.isPending}
        onConfirm={() => end.mutate(id, { onError: toastError })}
      >
        {m.extensions_throw_out_text()}
      </ConfirmDialog>
    </Card>
  );
}
