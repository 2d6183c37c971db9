import { useMutation } from '@tanstack/react-query';
import { QrCode as QrIcon } from 'lucide-react';
import { Button } from '../../components/ui/button';
import { CopyButton } from '../../components/ui/copy-button';
import { ErrorView } from '../../components/ui/state-views';
import { formatDuration } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { useNow } from '../../phone/use-now';
import { QrCode } from './qr-code';
import { createSetupLink } from './queries';

/** A link for a few minutes, made when it is asked for: whoever reads it can register as the extension. */
export function LinphoneSetup({ extensionId }: { extensionId: number }) {
  const link = useMutation({ mutationFn: () => createSetupLink(extensionId) });
  const now = useNow(link.data !== undefined);
  const secondsLeft = link.data === undefined ? 0 : Math.ceil((link.data.endsAt - now) / 1_000);
  const button = (label: string) => (
    <div>
      <Button onClick={() => link.mutate()} disabled={link.isPending}>
        <QrIcon aria-hidden />
        {label}
      </Button>
    </div>
  );
  if (link.data === undefined || secondsLeft <= 0) {
    return (
      <div className="mt-4 grid gap-3 text-sm text-soft">
        {link.error && <ErrorView error={link.error} />}
        <p>{link.data === undefined ? m.extensions_linphone_text() : m.extensions_linphone_ended()}</p>
        {button(link.data === undefined ? m.extensions_linphone_make() : m.extensions_linphone_again())}
      </div>
    );
  }
  return (
    <QrCode text={link.data.url} alt={m.extensions_qr({ app: 'Linphone' })}>
      <p>{m.extensions_linphone_scan()}</p>
      <p>
        {m.extensions_linphone_left()}{' '}
        <span role="timer" aria-live="off" className="text-ink tabular-nums">
          {formatDuration(secondsLeft)}
        </span>
      </p>
      {isThisMachine() && <p>{m.extensions_linphone_local({ host: location.hostname })}</p>}
      <CopyButton text={link.data.url} label={m.extensions_linphone_copy()} />
      {button(m.extensions_linphone_again())}
    </QrCode>
  );
}

/** An address that a telephone takes for itself. */
const isThisMachine = () => /(^|\.)localhost$|^127\.|^\[::1\]$/.test(location.hostname);
