import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useSession } from '../api/session';
import { useLiveEvents } from '../live/live-provider';
import type { LiveEvent } from '../live/event-stream';
import type { Phone } from './engine/phone';
import type { PhoneSnapshot } from './engine/snapshot';
import { phoneApi } from './phone-api';

const PhoneContext = createContext<Phone | undefined>(undefined);

/** The phone of the logged-in user; it lives as long as the session, from page to page. */
export function PhoneProvider({ children }: { children: ReactNode }) {
  const { uuid } = useSession().user;
  const [phone, setPhone] = useState<Phone>();
  useEffect(() => {
    let created: Phone | undefined;
    let isLeft = false;
    // The page is shown before its phone is loaded.
    void import('./engine/phone').then(({ createPhone }) => {
      if (isLeft) return;
      const origin = location.origin.replace(/^http/, 'ws');
      created = createPhone({ api: phoneApi, origin, storage: localStorage, user: uuid });
      created.start();
      setPhone(created);
    });
    return () => {
      isLeft = true;
      created?.stop();
    };
  }, [uuid]);
  useLiveEvents(
    useCallback(
      ({ type, at, callId, ramal }: LiveEvent) => {
        if (type.startsWith('call.') && callId !== undefined) phone?.noticeCall(callId);
        if (type === 'extension.displaced' && ramal !== undefined) phone?.noticeDisplaced(ramal, Date.parse(at));
      },
      [phone],
    ),
  );
  return <PhoneContext value={phone}>{children}</PhoneContext>;
}

/** Undefined for a moment after the page was loaded. */
export function usePhone(): Phone | undefined {
  return useContext(PhoneContext);
}

export function usePhoneSnapshot(): PhoneSnapshot | undefined {
  return useOfSnapshot((snapshot) => snapshot);
}

/** Whether a number can be dialled now. Numbers are many, and are drawn again only when this changes. */
export function useCanDial(): boolean {
  return useOfSnapshot((snapshot) => snapshot?.line.state === 'registered' && snapshot.call === undefined);
}

function useOfSnapshot<Part>(read: (snapshot: PhoneSnapshot | undefined) => Part): Part {
  const phone = usePhone();
  const subscribe = useCallback((listener: () => void) => phone?.subscribe(listener) ?? (() => {}), [phone]);
  return useSyncExternalStore(subscribe, () => read(phone?.get()));
}
