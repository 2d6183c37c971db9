import { Phone as PhoneIcon } from 'lucide-react';
import { cn } from '../components/class-names';
import { m } from '../paraglide/messages';
import { formatPhoneNumber } from './phone-number';
import { useCanDial, usePhone } from './phone-provider';

interface DialLinkProps {
  /** A phone number or an extension. */
  number: string;
  className?: string;
}

/** As high as a finger needs it, also as plain text: nothing moves when the phone becomes ready. */
const box = 'inline-flex min-h-6 items-center gap-1 tabular-nums';

/** A number that rings when it is clicked; plain text while the phone cannot call. */
export function DialLink({ number, className }: DialLinkProps) {
  const phone = usePhone();
  const canDial = useCanDial();
  const shown = formatPhoneNumber(number);
  if (phone === undefined || !canDial || !/^\+?\d{3,15}$/.test(number)) {
    return <span className={cn(box, className)}>{shown}</span>;
  }
  return (
    <button
      type="button"
      aria-label={m.phone_dial({ number: shown })}
      onClick={() => void phone.call(number)}
      className={cn(
        box,
        'rounded underline decoration-line underline-offset-4 hover:text-accent hover:decoration-accent',
        className,
      )}
    >
      {shown}
      <PhoneIcon className="size-3.5 shrink-0" aria-hidden />
    </button>
  );
}
