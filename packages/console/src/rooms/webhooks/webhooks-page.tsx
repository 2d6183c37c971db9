import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { Address } from '../../components/ui/address';
import { Button } from '../../components/ui/button';
import { Card } from '../../components/ui/card';
import { Dialog } from '../../components/ui/dialog';
import { EmptyView, ErrorView, Loading } from '../../components/ui/state-views';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { HealthBadge } from './health-card';
import { IntegrationForm } from './integration-form';
import { settingsOf } from './integration-settings';
import { createIntegration, useHealth, useIntegrations, useWebhookChange } from './queries';
import type { Integration } from './queries';

export function Component() {
  const integrations = useIntegrations();
  const [creating, setCreating] = useState(false);
  const startCreating = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      {m.webhooks_new()}
    </Button>
  );
  return (
    <Page
      title={m.shell_nav_webhooks()}
      description={m.webhooks_lead()}
      actions={integrations.data?.length !== 0 && startCreating}
    >
      {integrations.error && <ErrorView error={integrations.error} onRetry={() => void integrations.refetch()} />}
      {integrations.isPending && <Loading />}
      {integrations.data?.length === 0 && (
        <EmptyView title={m.webhooks_empty()} action={startCreating}>
          {m.webhooks_empty_text()}
        </EmptyView>
      )}
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {integrations.data?.map((integration) => (
          <li key={integration.id}>
            <IntegrationLink integration={integration} />
          </li>
        ))}
      </ul>
      {creating && <CreateIntegration onClose={() => setCreating(false)} />}
    </Page>
  );
}

function IntegrationLink({ integration }: { integration: Integration }) {
  const { data: health } = useHealth(integration.id);
  const { webhookUrl, webhookTypes } = settingsOf(integration);
  return (
    <Link to={`/webhooks/${integration.id}`} className="block rounded-xl">
      <Card className="p-4 hover:border-edge">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="min-w-0 font-semibold break-words">{integration.gateway}</p>
          {health && <HealthBadge state={health.state} />}
        </div>
        <p className="mt-0.5 text-sm text-soft">
          {webhookUrl === '' ? m.webhooks_no_url() : <Address text={webhookUrl} />}
        </p>
        <p className="mt-2 text-sm text-soft">{webhookTypes.join(' · ')}</p>
      </Card>
    </Link>
  );
}

function CreateIntegration({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const create = useWebhookChange(createIntegration);
  return (
    <Dialog open onOpenChange={onClose} title={m.webhooks_new()}>
      <IntegrationForm
        error={create.error}
        pending={create.isPending}
        onSubmit={(settings) => create.mutate(settings, { onSuccess: ({ id }) => void navigate(`/webhooks/${id}`) })}
      />
    </Dialog>
  );
}
