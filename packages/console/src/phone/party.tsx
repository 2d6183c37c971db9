import { Link } from 'react-router';
import { formatDuration } from '../i18n/format';
import { m } from '../paraglide/messages';
import type { PhoneCall } from './engine/snapshot';
import { formatPhoneNumber } from './phone-number';
import { useNow } from './use-now';
import { phaseInWords } from './words';

/** Who is on the other side, and since when. */
export function Party({ call }: { call: PhoneCall }) {
  const now = useNow(call.answeredAt !== undefined);
  const number = formatPhoneNumber(call.number);
  return (
    <div className="grid justify-items-center gap-1 text-center">
      <p className="max-w-full text-lg font-semibold break-words">{call.name ?? number}</p>
      {call.name !== undefined && <p className="text-sm text-soft">{number}</p>}
      <p className="text-sm text-soft" data-testid="phone-phase">
        {phaseInWords(call)}
        {call.answeredAt !== undefined && (
          <span className="tabular-nums"> · {formatDuration((now - call.answeredAt) / 1000)}</span>
        )}
      </p>
      {call.id !== undefined && (
        <Link to={`/calls/${call.id}`} className="text-sm text-accent underline underline-offset-4">
          {m.phone_open_call()}
        </Link>
      )}
    </div>
  );
}
