import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/ui/button';
import { Card } from '../../components/ui/card';
import { ConfirmDialog } from '../../components/ui/confirm-dialog';
import { EmptyView, ErrorView, Loading } from '../../components/ui/state-views';
import { Cell, HeaderCell, Table } from '../../components/ui/table';
import { toast, toastError } from '../../components/ui/toast';
import { formatDateTime } from '../../i18n/format';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { CreateToken } from './create-token';
import { useRevokeToken, useTokens } from './queries';
import type { Token } from './queries';

export function Component() {
  const tokens = useTokens();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const startCreating = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      {m.tokens_new()}
    </Button>
  );
  return (
    <Page
      title={m.shell_nav_tokens()}
      description={m.tokens_lead()}
      actions={tokens.data?.length !== 0 && startCreating}
    >
      {tokens.error && <ErrorView error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.isPending && <Loading />}
      {tokens.data?.length === 0 && (
        <EmptyView title={m.tokens_empty()} action={startCreating}>
          {m.tokens_empty_text()}
        </EmptyView>
      )}
      {tokens.data !== undefined && tokens.data.length > 0 && (
        <TokenTable tokens={tokens.data} onRevoke={setRevoking} />
      )}
      {creating && <CreateToken onClose={() => setCreating(false)} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}

function TokenTable({ tokens, onRevoke }: { tokens: Token[]; onRevoke: (token: Token) => void }) {
  return (
    <Card>
      <Table>
        <thead>
          <tr>
            <HeaderCell>{m.tokens_prefix()}</HeaderCell>
            <HeaderCell className="hidden sm:table-cell">{m.tokens_created_at()}</HeaderCell>
            <HeaderCell>{m.tokens_last_used()}</HeaderCell>
            <HeaderCell className="hidden md:table-cell">{m.tokens_expires()}</HeaderCell>
            <HeaderCell>
              <span className="sr-only">{m.shell_actions()}</span>
            </HeaderCell>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.prefix}>
              <Cell>
                {token.name && <p className="font-medium break-words">{token.name}</p>}
                <code className="font-mono whitespace-nowrap text-soft">{token.prefix}…</code>
              </Cell>
              <Cell className="hidden text-soft sm:table-cell">{token.created && formatDateTime(token.created)}</Cell>
              <Cell className="text-soft">
                {token.lastUsed === null ? m.tokens_never_used() : formatDateTime(token.lastUsed)}
              </Cell>
              <Cell className="hidden text-soft md:table-cell">{expiryOf(token)}</Cell>
              <Cell className="text-right">
                <Button size="small" look="danger" onClick={() => onRevoke(token)}>
                  {m.tokens_revoke()}
                </Button>
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function expiryOf({ ttl, created }: Token): string {
  if (ttl < 0 || created === null) return m.tokens_never_expires();
  return formatDateTime(new Date(new Date(created).getTime() + ttl * 1000).toISOString());
}

function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useRevokeToken();
  const confirm = () =>
    revoke.mutate(token.prefix, {
      onSuccess: () => {
        toast(m.tokens_revoked());
        onClose();
      },
      onError: toastError,
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={m.tokens_revoke_title()}
      confirm={m.tokens_revoke()}
      pending={revoke.isPending}
      onConfirm={confirm}
    >
      {m.tokens_revoke_text()}
    </ConfirmDialog>
  );
}
