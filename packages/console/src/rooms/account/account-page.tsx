import { useSession } from '../../api/session';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { AccountForm } from './account-form';
import { PasswordForm } from './password-form';

export function Component() {
  const { user } = useSession();
  return (
    <Page title={m.shell_nav_account()} description={m.account_lead()}>
      {user.role !== 'ADMIN' && <p className="rounded-lg bg-info-wash p-4 text-info">{m.account_only_admin()}</p>}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <AccountForm editable={user.role === 'ADMIN'} />
        <PasswordForm />
      </div>
    </Page>
  );
}
