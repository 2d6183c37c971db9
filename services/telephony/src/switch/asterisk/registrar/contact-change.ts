import { isIP } from 'node:net';
import type { RegistrationEvent } from '../../../domain/registration-event';

/** A row of sip.contact_changes: a softphone came or went. */
export interface ContactChange {
  id: number;
  happened_at: Date;
  change: 'added' | 'removed';
  endpoint: string;
  uri: string;
  user_agent: string | null;
  others: boolean;
}

/**
 * A new softphone of an extension is written before the older one is removed, so a removal while there is another one is a
 * displacement. Undefined for what is no extension.
 */
export function toRegistrationEvent(row: ContactChange): RegistrationEvent | undefined {
  const at = row.endpoint.indexOf('@');
  if (at <= 0) return undefined;
  const contact = decodeUri(row.uri);
  return {
    kind: row.change === 'added' ? 'registered' : row.others ? 'displaced' : 'unregistered',
    ramal: row.endpoint.slice(0, at),
    domain: row.endpoint.slice(at + 1),
    at: row.happened_at,
    contact,
    userAgent: row.user_agent || undefined,
    webrtc: /;transport=wss?\b/i.test(contact),
  };
}

/** Where a softphone sends from: Asterisk writes it into the contact (rewrite_contact). Undefined: there is no address in it. */
export function addressOf(stored: string): string | undefined {
  const [, host = ''] =
    /@(?:\[([^\]]+)\]|([^:;>?]+))/.exec(decodeUri(stored))?.filter((part) => part !== undefined) ?? [];
  return isIP(host) === 0 ? undefined : host;
}

/** Asterisk's realtime splits values at semicolons, so it writes them in another way. */
export function decodeUri(stored: string): string {
  return stored.replaceAll('^3B', ';').replaceAll('^5E', '^');
}
