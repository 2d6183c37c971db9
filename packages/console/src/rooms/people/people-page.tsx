import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/session';
import { Address } from '../../components/ui/address';
import { Badge } from '../../components/ui/badge';
import { Button } from '../../components/ui/button';
import { Card } from '../../components/ui/card';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { Cell, HeaderCell, Table } from '../../components/ui/table';
import { formatDateTime } from '../../i18n/format';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { CreatePerson, DeletePerson, EditPerson } from './person-dialogs';
import { useUsers } from './queries';
import type { User } from './queries';

type Open = { what: 'create' } | { what: 'edit' | 'delete'; user: User };

export function Component() {
  const users = useUsers();
  const { user: me } = useSession();
  const [open, setOpen] = useState<Open>();
  const isAdmin = me.role === 'ADMIN';
  const close = () => setOpen(undefined);
  return (
    <Page
      title={m.shell_nav_people()}
      description={m.people_lead()}
      actions={
        isAdmin && (
          <Button look="primary" onClick={() => setOpen({ what: 'create' })}>
            <Plus aria-hidden />
            {m.people_new()}
          </Button>
        )
      }
    >
      {!isAdmin && <p className="rounded-lg bg-info-wash p-4 text-info">{m.people_only_admin()}</p>}
      {users.error && <ErrorView error={users.error} onRetry={() => void users.refetch()} />}
      {users.isPending && <Loading />}
      {users.data && (
        <Card>
          <Table>
            <thead>
              <tr>
                <HeaderCell>{m.people_name()}</HeaderCell>
                <HeaderCell className="hidden sm:table-cell">{m.people_role()}</HeaderCell>
                <HeaderCell className="hidden md:table-cell">{m.people_last_login()}</HeaderCell>
                {isAdmin && (
                  <HeaderCell>
                    <span className="sr-only">{m.shell_actions()}</span>
                  </HeaderCell>
                )}
              </tr>
            </thead>
            <tbody>
              {users.data.map((user) => (
                <PersonRow
                  key={user.uuid}
                  user={user}
                  isMe={user.uuid === me.uuid}
                  onOpen={isAdmin ? setOpen : undefined}
                />
              ))}
            </tbody>
          </Table>
        </Card>
      )}
      {open?.what === 'create' && <CreatePerson onClose={close} />}
      {open?.what === 'edit' && <EditPerson user={open.user} onClose={close} />}
      {open?.what === 'delete' && <DeletePerson user={open.user} onClose={close} />}
    </Page>
  );
}

interface PersonRowProps {
  user: User;
  isMe: boolean;
  /** Undefined: the reader may not change people. */
  onOpen?: (open: Open) => void;
}

function PersonRow({ user, isMe, onOpen }: PersonRowProps) {
  return (
    <tr>
      <Cell>
        <p className="font-medium break-words">
          {user.name} {isMe && <Badge>{m.people_you()}</Badge>}
        </p>
        <p className="text-soft">
          <Address text={user.email} />
        </p>
        <div className="mt-1 sm:hidden">
          <RoleBadge role={user.role} />
        </div>
        {!user.emailVerified && <Badge tone="warn">{m.people_unconfirmed()}</Badge>}
        {user.pendingEmail && (
          <p className="text-sm text-warn">{m.people_pending_email({ email: user.pendingEmail })}</p>
        )}
      </Cell>
      <Cell className="hidden sm:table-cell">
        <RoleBadge role={user.role} />
      </Cell>
      <Cell className="hidden text-soft md:table-cell">
        {user.lastLoginAt === null ? m.people_never() : formatDateTime(user.lastLoginAt)}
      </Cell>
      {onOpen !== undefined && (
        <Cell className="text-right whitespace-nowrap">
          <Button
            look="quiet"
            size="icon-small"
            aria-label={`${m.shell_edit()}: ${user.name}`}
            onClick={() => onOpen({ what: 'edit', user })}
          >
            <Pencil />
          </Button>
          {!isMe && (
            <Button
              look="quiet"
              size="icon-small"
              aria-label={`${m.shell_delete()}: ${user.name}`}
              onClick={() => onOpen({ what: 'delete', user })}
            >
              <Trash2 />
            </Button>
          )}
        </Cell>
      )}
    </tr>
  );
}

const RoleBadge = ({ role }: Pick<User, 'role'>) => (
  <Badge tone={role === 'ADMIN' ? 'accent' : 'neutral'}>{role === 'ADMIN' ? m.people_admin() : m.people_user()}</Badge>
);
