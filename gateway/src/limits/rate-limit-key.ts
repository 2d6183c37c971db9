import { countedAddress } from '../http/client-ip';
import type { Exchange } from '../http/exchange';
import type { Session } from '../access/token-cache';

export function addressKey({ clientIp }: Exchange): string {
  return `ip:${countedAddress(clientIp)}`;
}

/** A request whose token is no good still counts, by the address it came from. */
export function userKey(exchange: Exchange, session: Session | undefined): string {
  return session?.state === 'live' && session.caller !== undefined
    ? `user:${session.caller.userId}`
    : addressKey(exchange);
}

/** The extension as it is in the body, before anybody judged the rest; 1000 and "1000" are the same. */
export async function userAndExtensionKey(exchange: Exchange, session: Session | undefined): Promise<string> {
  const user = userKey(exchange, session);
  if (session?.state !== 'live') {
    return user;
  }
  try {
    const { values } = await exchange.body();
    const extension = Object.hasOwn(values, 'extension') ? values['extension'] : undefined;
    const isText = typeof extension === 'string' || typeof extension === 'number';
    return isText ? `${user}:${String(extension).trim().slice(0, 64)}` : user;
  } catch {
    // A body that cannot be read is answered as such later on; here it only means that no extension is known.
    return user;
  }
}
