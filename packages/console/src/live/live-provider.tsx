import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { lookAtSession, useSession } from '../api/session';
import { openLiveEvents } from './live-events';
import type { LiveEvent } from './event-stream';
import type { LiveEvents } from './live-events';
import { createRefresher } from './refresh';

const types = [
  'call.created',
  'call.ringing',
  'call.answered',
  'call.ended',
  'call.rated',
  'call.recorded',
  'extension.registered',
  'extension.unregistered',
  'extension.displaced',
  'balance.changed',
  'charge.created',
  'charge.confirmed',
  'charge.received',
  'charge.overdue',
  'charge.cancelled',
  'charge.refunded',
  'charge.chargedback',
  'charge.restored',
  'delivery.delivered',
  'delivery.failed',
  'delivery.dead',
  'delivery.not-matched',
];

const LiveContext = createContext<LiveEvents | undefined>(undefined);

/** Opens the stream of events while a user is logged in, and keeps what the pages show up to date. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const { uuid } = useSession().user;
  const [live, setLive] = useState<LiveEvents>();
  useEffect(() => {
    const opened = openLiveEvents({
      user: uuid,
      types,
      onReset: () => void queries.invalidateQueries(),
      // A gateway that cannot be reached says nothing about the session, and tells no events; the next attempt looks again.
      onInterrupted: () => void lookAtSession(queries).catch(() => undefined),
    });
    const refresher = createRefresher(queries);
    opened.subscribe(refresher.notice);
    setLive(opened);
    return () => {
      opened.close();
      refresher.stop();
    };
  }, [queries, uuid]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLiveState(): boolean {
  const live = useContext(LiveContext);
  return useSyncExternalStore(
    (listener) => live?.onState(listener) ?? (() => {}),
    () => live?.isConnected() ?? false,
  );
}

/** Calls the listener for each event while the component is shown. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const live = useContext(LiveContext);
  useEffect(() => live?.subscribe(listener), [live, listener]);
}
