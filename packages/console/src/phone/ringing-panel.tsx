import { Phone as PhoneIcon, PhoneOff } from 'lucide-react';
import { Button } from '../components/ui/button';
import { m } from '../paraglide/messages';
import type { Phone } from './engine/phone';
import type { PhoneCall } from './engine/snapshot';
import { Party } from './party';

/** Somebody calls, or other software has placed a call for this phone. */
export function RingingPanel({ phone, call }: { phone: Phone; call: PhoneCall }) {
  return (
    <div className="grid gap-4">
      <Party call={call} />
      <div className="grid grid-cols-2 gap-2">
        <Button look="danger" onClick={phone.hangUp}>
          <PhoneOff aria-hidden />
          {m.phone_decline()}
        </Button>
        <Button look="good" data-phone-first onClick={() => void phone.answer()}>
          <PhoneIcon aria-hidden />
          {call.direction === 'incoming' ? m.phone_answer() : m.phone_call()}
        </Button>
      </div>
      <p className="hidden text-center text-xs text-soft sm:block">{m.phone_way()}</p>
    </div>
  );
}
