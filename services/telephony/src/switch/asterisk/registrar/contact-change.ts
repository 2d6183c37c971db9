import { isIP } from 'node:net';
import type { RegistrationEvent } from '../../../domain/registration-event';
import type { Registration } from '../../../domain/registration';
import type { Contact, ContactChange } from '../../../storage/contacts';

/**
 * The new softphone of an extension is written before the older one is removed, so a removal while there is another one is a
 * displacement. Undefined: the endpoint is not an extension.
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

export function toRegistration({ uri, userAgent, expiresAt }: Contact): Registration {
  const transport = transportOf(decodeUri(uri));
  return {
    userAgent: userAgent || undefined,
    address: transport === 'ws' ? undefined : addressOf(uri),
    transport,
    expiresAt,
  };
}

function transportOf(contact: string): Registration['transport'] {
  const [, named = ''] = /;transport=([a-z]+)/i.exec(contact) ?? [];
  const transport = named.toLowerCase();
  if (transport === 'ws' || transport === 'wss') return 'ws';
  return transport === 'tcp' || transport === 'tls' ? transport : 'udp';
}

/** The address a softphone sends from, which Asterisk writes into the contact (rewrite_contact). Undefined: it has none. */
export function addressOf(stored: string): string | undefined {
  const [, host = ''] =
    /@(?:\[([^\]]+)\]|([^:;>?]+))/.exec(decodeUri(stored))?.filter((part) => part !== undefined) ?? [];
  return isIP(host) === 0 ? undefined : host;
}

/** Asterisk's realtime engine splits values at semicolons, so it escapes them. */
export function decodeUri(stored: string): string {
  return stored.replaceAll('^3B', ';').replaceAll('^5E', '^');
}
