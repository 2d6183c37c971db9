import { sabia } from '../../api/client';
import { m } from '../../paraglide/messages';
import { EmailForm } from './email-form';
import { EntryFrame, EntryLink } from './entry-frame';

export function Component() {
  return (
    <EntryFrame title={m.entry_forgot_title()} foot={<EntryLink to="/login">{m.entry_back_to_login()}</EntryLink>}>
      <EmailForm
        text={m.entry_forgot_text()}
        submit={m.entry_forgot_submit()}
        send={(email) => sabia.users.requestPasswordReset(email)}
        sent={(email) => m.entry_forgot_sent({ email })}
      />
    </EntryFrame>
  );
}
