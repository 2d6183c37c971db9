import { useEffect } from 'react';
import { m } from '../paraglide/messages';
import type { PhoneCall } from './engine/snapshot';
import { formatPhoneNumber } from './phone-number';

/** A note of the desktop while the phone rings behind other windows; only if the user has allowed it in the settings. */
export function IncomingNotification({ call, onClick }: { call: PhoneCall | undefined; onClick: () => void }) {
  const who = call?.phase === 'ringing' ? (call.name ?? formatPhoneNumber(call.number)) : undefined;
  useEffect(() => {
    if (who === undefined || !('Notification' in window) || Notification.permission !== 'granted') return;
    if (document.visibilityState === 'visible') return;
    const note = new Notification(m.phone_phase_incoming(), {
      body: who,
      tag: 'sabia-phone',
      requireInteraction: true,
    });
    note.onclick = () => {
      window.focus();
      onClick();
    };
    return () => note.close();
    // The call is the same however often the page draws.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [who]);
  return null;
}
