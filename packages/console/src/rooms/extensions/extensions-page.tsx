import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { Address } from '../../components/ui/address';
import { Badge } from '../../components/ui/badge';
import { Button } from '../../components/ui/button';
import { Card } from '../../components/ui/card';
import { Dialog } from '../../components/ui/dialog';
import { EmptyView, ErrorView, Loading } from '../../components/ui/state-views';
import { Cell, HeaderCell, Table } from '../../components/ui/table';
import { toast } from '../../components/ui/toast';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { ExtensionForm } from './extension-form';
import type { ExtensionValues } from './extension-form';
import { createExtension, createNextExtension, useExtensionChange, useExtensions } from './queries';
import type { Extension } from './queries';
import { NumbersCard } from './numbers-card';
import { RegistrationBadge } from './registration-badge';

export function Component() {
  const extensions = useExtensions();
  const [creating, setCreating] = useState(false);
  const startCreating = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      {m.extensions_new()}
    </Button>
  );
  return (
    <Page
      title={m.shell_nav_extensions()}
      description={m.extensions_lead()}
      actions={extensions.data?.length !== 0 && startCreating}
    >
      {extensions.error && <ErrorView error={extensions.error} onRetry={() => void extensions.refetch()} />}
      {extensions.isPending && <Loading />}
      {extensions.data?.length === 0 && (
        <EmptyView title={m.extensions_empty()} action={startCreating}>
          {m.extensions_empty_text()}
        </EmptyView>
      )}
      {extensions.data !== undefined && extensions.data.length > 0 && <ExtensionTable extensions={extensions.data} />}
      {extensions.data !== undefined && <NumbersCard />}
      <CreateDialog open={creating} onOpenChange={setCreating} />
    </Page>
  );
}

function ExtensionTable({ extensions }: { extensions: Extension[] }) {
  return (
    <Card>
      <Table>
        <thead>
          <tr>
            <HeaderCell>{m.extensions_number()}</HeaderCell>
            <HeaderCell>{m.extensions_person()}</HeaderCell>
            <HeaderCell className="hidden sm:table-cell">{m.extensions_state()}</HeaderCell>
            <HeaderCell className="hidden sm:table-cell">{m.extensions_recording()}</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {extensions.map((extension) => (
            <tr key={extension.id}>
              <Cell>
                <Link to={`/extensions/${extension.id}`} className="font-semibold text-accent hover:underline">
                  {extension.ramal}
                </Link>
              </Cell>
              <Cell>
                <p className="break-words">{extension.name}</p>
                <p className="text-soft">
                  <Address text={extension.email_address} />
                </p>
                <div className="mt-1 sm:hidden">
                  {/* Without a time, which would need a line of its own and move all that follows when a phone registers. */}
                  <RegistrationBadge registered={extension.registered} />
                </div>
              </Cell>
              <Cell className="hidden sm:table-cell">
                <RegistrationBadge registered={extension.registered} since={extension.registered_at} />
              </Cell>
              <Cell className="hidden sm:table-cell">
                <Badge tone={extension.gravar_audio === 1 ? 'accent' : 'neutral'}>
                  {extension.gravar_audio === 1 ? m.extensions_recording_on() : m.extensions_recording_off()}
                </Badge>
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function CreateDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const navigate = useNavigate();
  const create = useExtensionChange(
    ({ ramal, ...values }: ExtensionValues) =>
      ramal === undefined ? createNextExtension(values) : createExtension({ ramal, ...values }),
    (created) => {
      toast(m.extensions_created({ ramal: created.ramal }));
      onOpenChange(false);
      void navigate(`/extensions/${created.id}`);
    },
  );
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={m.extensions_new()}>
      <ExtensionForm error={create.error} pending={create.isPending} onSubmit={(values) => create.mutate(values)} />
    </Dialog>
  );
}
