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
  return {
    kind: row.change === 'added' ? 'registered' : row.others ? 'displaced' : 'unregistered',
    ramal: row.endpoint.slice(0, at),
    domain: row.endpoint.slice(at + 1),
    at: row.happened_at,
    contact: row.uri,
    userAgent: row.user_agent || undefined,
    webrtc: /;transport=wss?\b/i.test(row.uri),
  };
}

/** Of a web phone, which comes through the gateway, only that it is one. */
export function toRegistration({ transport, source, userAgent, expiresAt }: Contact): Registration {
  const known = { userAgent: userAgent || undefined, expiresAt };
  if (transport === 'ws' || transport === 'wss') return { ...known, address: undefined, transport: 'ws' };
  return { ...known, address: source, transport: transport === 'tcp' || transport === 'tls' ? transport : 'udp' };
}
