import { Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Address } from '../../components/ui/address';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { ConfirmDialog } from '../../components/ui/confirm-dialog';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { toast, toastError } from '../../components/ui/toast';
import { NotFound } from '../../layout/not-found';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { ConstraintEditor } from './constraint-editor';
import { DeliveryLog } from './delivery-log';
import { HealthCard } from './health-card';
import { IntegrationForm } from './integration-form';
import { settingsOf } from './integration-settings';
import { deleteIntegration, saveIntegration, sendTest, useIntegration, useWebhookChange, withChange } from './queries';
import type { Integration } from './queries';
import { SecretCard } from './secret-card';

export function Component() {
  const { id = '' } = useParams();
  return /^\d{1,15}$/.test(id) ? <IntegrationPage id={Number(id)} /> : <NotFound />;
}

function IntegrationPage({ id }: { id: number }) {
  const { data: integration, error, refetch } = useIntegration(id);
  const [deleting, setDeleting] = useState(false);
  const test = useWebhookChange(sendTest);
  if (integration === undefined)
    return error ? <ErrorView error={error} onRetry={() => void refetch()} /> : <Loading />;
  if (integration === null) return <NotFound />;
  const sendSample = () =>
    test.mutate(id, {
      onSuccess: (deliveries) => {
        const arrived = deliveries.filter(({ status }) => status === 'delivered').length;
        toast(m.webhooks_tested({ arrived, sent: deliveries.length }), arrived === deliveries.length ? 'good' : 'bad');
      },
      onError: toastError,
    });
  return (
    <Page
      title={integration.gateway}
      description={<Address text={settingsOf(integration).webhookUrl} />}
      actions={
        <>
          <Button disabled={test.isPending || !integration.webhook} onClick={sendSample}>
            <Send aria-hidden />
            {m.webhooks_test()}
          </Button>
          <Button look="danger" onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden />
            {m.shell_delete()}
          </Button>
        </>
      }
    >
      <HealthCard id={id} />
      <DeliveryLog integration={integration} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <ConstraintEditor key={`constraint ${integration.updatedAt}`} integration={integration} />
        <div className="grid gap-5">
          <SettingsCard key={integration.updatedAt} integration={integration} />
          <SecretCard integration={integration} />
        </div>
      </div>
      <DeleteDialog integration={integration} open={deleting} onOpenChange={setDeleting} />
    </Page>
  );
}

function SettingsCard({ integration }: { integration: Integration }) {
  const save = useWebhookChange(saveIntegration);
  return (
    <Card>
      <CardHead title={m.webhooks_settings()} />
      <IntegrationForm
        settings={settingsOf(integration)}
        error={save.error}
        pending={save.isPending}
        onSubmit={(settings) =>
          save.mutate(withChange(integration, settings), { onSuccess: () => toast(m.shell_saved()) })
        }
      />
    </Card>
  );
}

interface DeleteDialogProps {
  integration: Integration;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function DeleteDialog({ integration, open, onOpenChange }: DeleteDialogProps) {
  const navigate = useNavigate();
  const remove = useWebhookChange(deleteIntegration);
  const confirm = () =>
    remove.mutate(integration.id, {
      onSuccess: () => void navigate('/webhooks', { replace: true }),
      onError: toastError,
    });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={m.webhooks_delete_title({ name: integration.gateway })}
      confirm={m.shell_delete()}
      pending={remove.isPending}
      onConfirm={confirm}
    >
      {m.webhooks_delete_text()}
    </ConfirmDialog>
  );
}
