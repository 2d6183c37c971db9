import { X } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '../components/ui/button';
import { formatDuration } from '../i18n/format';
import { m } from '../paraglide/messages';
import type { Phone } from './engine/phone';
import type { EndedCall } from './engine/snapshot';
import { formatPhoneNumber } from './phone-number';
import { endInWords } from './words';

/** How the last call ended, until the next one. */
export function EndedPanel({ phone, ended }: { phone: Phone; ended: EndedCall }) {
  return (
    <div className="flex items-start gap-2 rounded-lg bg-sunken p-3 text-sm">
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="font-medium break-words">{ended.name ?? formatPhoneNumber(ended.number)}</p>
        <p data-testid="phone-end">{endInWords(ended)}</p>
        {ended.answered && <p className="text-soft">{m.phone_talked({ time: formatDuration(ended.seconds) })}</p>}
        {ended.id !== undefined && (
          <Link to={`/calls/${ended.id}`} className="text-accent underline underline-offset-4">
            {m.phone_open_call()}
          </Link>
        )}
      </div>
      <Button look="quiet" size="icon-small" aria-label={m.shell_close()} onClick={phone.dismissEnded}>
        <X />
      </Button>
    </div>
  );
}
