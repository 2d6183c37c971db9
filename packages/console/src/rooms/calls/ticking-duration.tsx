import { useEffect, useState } from 'react';
import { formatDuration } from '../../i18n/format';
import { serverNow } from '../../api/server-clock';

/** The time since a moment, counting. Not announced: a screen reader would say every second. */
export function TickingDuration({ since }: { since: string }) {
  const now = useServerNow(true);
  return (
    <span role="timer" aria-live="off" className="tabular-nums">
      {formatDuration((now - Date.parse(since)) / 1_000)}
    </span>
  );
}

export function useServerNow(ticking: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(serverNow()), 1_000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
