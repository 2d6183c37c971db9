import { ChevronDown, ChevronUp, Phone as PhoneIcon, PhoneIncoming, PhoneOff } from 'lucide-react';
import { lazy, Suspense, useEffect, useId, useRef } from 'react';
import { cn } from '../components/class-names';
import { Button } from '../components/ui/button';
import { formatDuration } from '../i18n/format';
import { m } from '../paraglide/messages';
import { useDockState } from './dock-state';
import type { PhoneSnapshot } from './engine/snapshot';
import { IncomingNotification } from './incoming-notification';
import { PhoneAnnouncer } from './phone-announcer';
import { formatPhoneNumber } from './phone-number';
import { usePhone, usePhoneSnapshot } from './phone-provider';
import { useNow } from './use-now';
import { useWayToPhone } from './use-way-to-phone';
import { lineInWords, phaseInWords } from './words';

const PhonePanel = lazy(() => import('./phone-panel').then((file) => ({ default: file.PhonePanel })));

/** The phone at the edge of every page: a line that says what it is doing, and opens. It opens by itself when it rings. */
export function PhoneDock() {
  const phone = usePhone();
  const snapshot = usePhoneSnapshot();
  const { isOpen: open, setOpen, askForNumber } = useDockState();
  const panelId = useId();
  const dock = useRef<HTMLElement>(null);
  const phase = snapshot?.call?.phase;
  useEffect(() => {
    if (phase === 'ringing' || phase === 'placing' || phase === 'rejoining') setOpen(true);
  }, [phase, setOpen]);
  useWayToPhone(dock, phase !== undefined);
  const hasEnded = snapshot?.lastEnded !== undefined;
  useEffect(() => {
    if (hasEnded) setOpen(true);
  }, [hasEnded, setOpen]);

  if (phone === undefined || snapshot === undefined) return null;
  return (
    <section
      ref={dock}
      aria-label={m.phone_title()}
      // A dialog hides everything behind it from screen readers, but nothing that has this attribute.
      aria-live="off"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // An open dialog stays.
        event.stopPropagation();
        setOpen(false);
      }}
      className={cn(
        'fixed inset-x-0 bottom-0 border-t bg-card text-ink shadow-2xl',
        'sm:inset-x-auto sm:right-4 sm:bottom-4 sm:w-84 sm:rounded-xl sm:border',
        // Who is called during a dialog can answer.
        phase === undefined ? 'z-35' : 'z-60',
        phase === 'ringing' && 'border-accent ring-2 ring-accent',
      )}
    >
      {open && (
        <div
          id={panelId}
          // A page that is opened from here must not stay behind the phone.
          onClick={({ target }) => target instanceof Element && target.closest('a') !== null && setOpen(false)}
          className="max-h-[calc(100dvh-8rem)] overflow-y-auto p-4"
        >
          <Suspense>
            <PhonePanel phone={phone} snapshot={snapshot} />
          </Suspense>
        </div>
      )}
      <div className={cn('flex items-center gap-2 p-2', open && 'border-t')}>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? panelId : undefined}
          onClick={() => (open ? setOpen(false) : askForNumber())}
          className="flex min-h-10 min-w-0 flex-1 items-center gap-3 rounded-lg px-2 text-left hover:bg-sunken"
        >
          <StateIcon snapshot={snapshot} />
          <Summary snapshot={snapshot} isOpen={open} />
          <span className="sr-only">{open ? m.phone_close() : m.phone_open()}</span>
          {open ? (
            <ChevronDown className="size-4 shrink-0" aria-hidden />
          ) : (
            <ChevronUp className="size-4 shrink-0" aria-hidden />
          )}
        </button>
        {phase !== undefined && (phase !== 'ringing' || !open) && (
          <Button look="danger" onClick={phone.hangUp}>
            <PhoneOff aria-hidden />
            {phase === 'ringing' ? m.phone_decline() : m.phone_hang_up()}
          </Button>
        )}
      </div>
      <PhoneAnnouncer snapshot={snapshot} />
      <IncomingNotification call={snapshot.call} onClick={() => setOpen(true)} />
    </section>
  );
}

function StateIcon({ snapshot: { line, call } }: { snapshot: PhoneSnapshot }) {
  const Icon = call?.phase === 'ringing' ? PhoneIncoming : PhoneIcon;
  const isReady = line.state === 'registered';
  const isWrong = line.state === 'refused' || line.state === 'reconnecting';
  return (
    <span className="relative shrink-0" aria-hidden>
      <Icon className={cn('size-5', call !== undefined && 'text-accent')} />
      <span
        className={cn(
          'absolute -right-0.5 -bottom-0.5 size-2 rounded-full ring-2 ring-card',
          isReady ? 'bg-good' : isWrong ? 'bg-bad' : 'bg-warn',
        )}
      />
    </span>
  );
}

/** The open phone shows the time of the call itself. */
function Summary({ snapshot: { line, call, extension }, isOpen }: { snapshot: PhoneSnapshot; isOpen: boolean }) {
  const now = useNow(call?.phase === 'talking' || line.state === 'reconnecting');
  const seconds = call?.answeredAt === undefined || isOpen ? undefined : (now - call.answeredAt) / 1000;
  // The open phone has the number above.
  const title =
    call && !isOpen
      ? (call.name ?? formatPhoneNumber(call.number))
      : extension
        ? m.phone_extension({ extension: extension.ramal })
        : m.phone_title();
  return (
    <span className="min-w-0 flex-1 leading-tight">
      <span className="block text-sm font-medium wrap-anywhere">{title}</span>
      <span className="block truncate text-xs text-soft">
        {call ? phaseInWords(call) : lineInWords(line, now)}
        {call && line.state === 'reconnecting' && ` · ${lineInWords(line, now)}`}
        {seconds !== undefined && <span className="tabular-nums"> · {formatDuration(seconds)}</span>}
      </span>
    </span>
  );
}
