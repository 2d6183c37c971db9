import { sabia } from '../../api/client';
import { m } from '../../paraglide/messages';
import { EmailForm } from './email-form';
import { EntryFrame, EntryLink } from './entry-frame';

export function Component() {
  return (
    <EntryFrame title={m.entry_resend_title()} foot={<EntryLink to="/login">{m.entry_back_to_login()}</EntryLink>}>
      <EmailForm
        text={m.entry_resend_text()}
        submit={m.entry_resend()}
        send={(email) => sabia.account.resendConfirmation(email)}
        sent={() => m.entry_resent()}
      />
    </EntryFrame>
  );
}
