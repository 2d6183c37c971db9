import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { signedOut } from '../api/client';
import { forgetSession, useSessionQuery } from '../api/session';
import { ErrorView, Loading } from '../components/ui/state-views';
import { setTimeZone } from '../i18n/format';

/** Lets logged-in users through; others log in first and come back to the page they wanted. */
export function SessionGate() {
  const { data: session, error, refetch } = useSessionQuery();
  const queries = useQueryClient();
  const { pathname, search } = useLocation();
  useEffect(() => {
    const onSignedOut = () => forgetSession(queries);
    signedOut.addEventListener('signed-out', onSignedOut);
    return () => signedOut.removeEventListener('signed-out', onSignedOut);
  }, [queries]);

  // A session that is known stays: a gateway that is away for a moment must not take the page, and the phone, from its user.
  if (error && session === undefined) {
    return (
      <div className="mx-auto mt-24 max-w-lg px-4">
        <ErrorView error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (session === undefined) return <Loading />;
  if (session === null) {
    const wanted = `${pathname}${search}`;
    return <Navigate to={wanted === '/' ? '/login' : `/login?next=${encodeURIComponent(wanted)}`} replace />;
  }
  setTimeZone(session.account.timeZone);
  // Another user, such as after a login in another tab, begins with a phone and pages of their own.
  return <Outlet key={session.user.uuid} />;
}
