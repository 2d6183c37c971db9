import { useState } from 'react';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { ConfirmDialog } from '../../components/ui/confirm-dialog';
import { SettingsList } from '../../components/ui/settings-list';
import { toast, toastError } from '../../components/ui/toast';
import { m } from '../../paraglide/messages';
import { rotateSecret, useWebhookChange } from './queries';
import type { Integration } from './queries';

/** The secret that signs each request, and its rotation with an overlap of a day. */
export function SecretCard({ integration }: { integration: Integration }) {
  const [asking, setAsking] = useState(false);
  const rotate = useWebhookChange(rotateSecret);
  const confirm = () =>
    rotate.mutate(integration.id, {
      onSuccess: () => {
        setAsking(false);
        toast(m.webhooks_rotated());
      },
      onError: toastError,
    });
  return (
    <Card>
      <CardHead
        title={m.webhooks_secret()}
        description={m.webhooks_secret_text()}
        actions={
          <Button size="small" onClick={() => setAsking(true)}>
            {m.webhooks_rotate()}
          </Button>
        }
      />
      {integration.webhookSecret !== null && (
        <SettingsList settings={[{ name: m.webhooks_secret(), value: integration.webhookSecret, secret: true }]} />
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={m.webhooks_rotate_title()}
        confirm={m.webhooks_rotate()}
        pending={rotate.isPending}
        onConfirm={confirm}
      >
        {m.webhooks_rotate_text()}
      </ConfirmDialog>
    </Card>
  );
}
