import { useEffect, useState } from 'react';

/** The time, once a second while it is wanted. */
export function useNow(wanted: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!wanted) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [wanted]);
  return now;
}
