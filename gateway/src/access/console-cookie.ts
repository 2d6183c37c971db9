import type { Exchange } from '../http/exchange';

/** The cookie that holds the session of a person in the console. */
export interface ConsoleCookie {
  /** The token in it. A request with an Authorization header speaks for itself, so its cookie is not looked at. */
  read(exchange: Exchange): string | undefined;
  /** The Set-Cookie header that begins a session. */
  begin(session: { token: string; ttl: number }): string;
  /** The Set-Cookie header that makes the browser forget it. */
  readonly end: string;
}

export function createConsoleCookie({ secure }: { secure: boolean }): ConsoleCookie {
  // Browsers accept the prefix from this very host only, over TLS only.
  const name = secure ? '__Host-sabia_session' : 'sabia_session';
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  const pattern = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{1,128})\\s*(?:;|$)`);
  return {
    read({ request: { headers } }) {
      if (headers.authorization !== undefined || headers.cookie === undefined) {
        return undefined;
      }
      return pattern.exec(headers.cookie)?.[1];
    },
    begin: ({ token, ttl }) => `${name}=${token}; Max-Age=${ttl}${attributes}`,
    end: `${name}=; Max-Age=0${attributes}`,
  };
}
