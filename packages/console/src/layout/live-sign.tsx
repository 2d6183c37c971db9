import { useLiveState } from '../live/live-provider';
import { m } from '../paraglide/messages';
import { cn } from '../components/class-names';

/** Whether what the page shows is moving by itself. */
export function LiveSign() {
  const live = useLiveState();
  return (
    <span role="status" className="flex items-center gap-2 text-sm text-soft">
      <span className={cn('size-2 rounded-full', live ? 'bg-good' : 'animate-pulse bg-warn')} aria-hidden />
      {live ? m.shell_live_on() : m.shell_live_off()}
    </span>
  );
}
