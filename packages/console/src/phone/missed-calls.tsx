import { PhoneMissed, X } from 'lucide-react';
import { Button } from '../components/ui/button';
import { formatTime } from '../i18n/format';
import { m } from '../paraglide/messages';
import { DialLink } from './dial-link';
import type { Phone } from './engine/phone';
import type { MissedCall } from './engine/snapshot';

/** Who called during a call; they heard that this phone is busy. */
export function MissedCalls({ phone, missed }: { phone: Phone; missed: MissedCall[] }) {
  return (
    <div className="flex items-start gap-2 rounded-lg bg-sunken p-3 text-sm">
      <PhoneMissed className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="grid min-w-0 flex-1 gap-1">
        <p>{m.phone_missed()}</p>
        <ul className="grid gap-1">
          {missed.map(({ number, name, at }) => (
            <li key={at} className="font-medium break-words">
              {name !== undefined && `${name} `}
              <DialLink number={number} />
              <span className="font-normal text-soft"> · {formatTime(new Date(at).toISOString())}</span>
            </li>
          ))}
        </ul>
      </div>
      <Button look="quiet" size="icon-small" aria-label={m.shell_close()} onClick={phone.dismissMissed}>
        <X />
      </Button>
    </div>
  );
}
