import { m } from '../paraglide/messages';
import type { PhoneSnapshot } from './engine/snapshot';
import { formatPhoneNumber } from './phone-number';
import { endInWords, phaseInWords, troubleInWords } from './words';

/** Tells screen readers what changes: a call at once, everything else when they have finished speaking. */
export function PhoneAnnouncer({ snapshot: { line, call, lastEnded } }: { snapshot: PhoneSnapshot }) {
  const who = call && (call.name ?? formatPhoneNumber(call.number));
  const quiet = call
    ? call.phase === 'ringing'
      ? ''
      : `${phaseInWords(call)}. ${who}`
    : lastEnded
      ? endInWords(lastEnded)
      : (troubleInWords(line) ?? '');
  return (
    <div className="sr-only">
      <p aria-live="assertive">
        {call?.phase === 'ringing' && `${m.phone_announce_ringing({ who: who ?? '' })}. ${m.phone_way()}`}
      </p>
      <p aria-live="polite">{quiet}</p>
    </div>
  );
}
