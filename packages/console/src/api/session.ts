import { SabiaError, createSend } from '@sabia/client';
import type { Session } from '@sabia/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { consoleHeader } from './client';

/** Without the news that a session has ended: here, none is an answer. */
const send = createSend({ headers: consoleHeader });

async function ask(method: string, body?: object): Promise<Response> {
  return send(
    new Request('/api/v1/session', {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  );
}

/** Null: nobody is logged in. */
export async function fetchSession(): Promise<Session | null> {
  try {
    return (await (await ask('GET')).json()) as Session;
  } catch (error) {
    if (error instanceof SabiaError && error.status === 401) return null;
    throw error;
  }
}

export const sessionKey = ['session'];

export function useSessionQuery() {
  return useQuery({
    queryKey: sessionKey,
    async queryFn({ client }) {
      const session = await fetchSession();
      forgetPagesUnless(client, session);
      return session;
    },
    staleTime: 60_000,
  });
}

/** The session may have ended, or be that of another user who has logged in in another tab. */
export async function lookAtSession(queries: QueryClient): Promise<void> {
  const session = await fetchSession();
  forgetPagesUnless(queries, session);
  queries.setQueryData(sessionKey, session);
}

/** The session inside of pages that only a logged-in user reaches. */
export function useSession(): Session {
  const session = useQueryClient().getQueryData<Session | null>(sessionKey);
  if (!session) throw new Error('this page needs a session');
  return session;
}

export async function logIn(credentials: { email: string; password: string }): Promise<void> {
  await ask('POST', credentials);
}

export async function logOut(): Promise<void> {
  await ask('DELETE');
}

/** Leads to the login, and forgets what the pages have shown: the next user of this tab may be another one. */
export function forgetSession(queries: QueryClient): void {
  queries.setQueryData(sessionKey, null);
  forgetPages(queries);
}

/** Unless the session is that of the user whose pages are shown. */
function forgetPagesUnless(queries: QueryClient, session: Session | null): void {
  const shown = queries.getQueryData<Session | null>(sessionKey);
  if (shown && shown.user.uuid !== session?.user.uuid) forgetPages(queries);
}

function forgetPages(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
