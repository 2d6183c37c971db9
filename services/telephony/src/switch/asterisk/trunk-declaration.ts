import type { Logger } from '@sabia/service-kit/logging';
import type { Trunk } from '../../domain/trunk';
import type { AriClient } from './ari-client';

export interface PjsipObject {
  type: 'auth' | 'aor' | 'endpoint' | 'identify' | 'registration';
  fields: Record<string, string>;
}

const QUALIFY_SECONDS = 60;
/** The same as for extensions: services/extensions/migrations. */
const SILENCE_SECONDS = 60;
const SILENCE_ON_HOLD_SECONDS = 600;

/** The PJSIP objects of a trunk in the order of their creation, all under its name. None: Asterisk's own files describe it. */
export function pjsipObjectsOf(trunk: Trunk): PjsipObject[] {
  const { name, server, transport = 'udp', username, password, inbound = [] } = trunk;
  if (server === undefined) {
    return [];
  }
  const uri = `sip:${server}${transport === 'udp' ? '' : `;transport=${transport}`}`;
  const objects: PjsipObject[] = [];
  if (username !== undefined && password !== undefined) {
    objects.push({ type: 'auth', fields: { auth_type: 'digest', username, password } });
  }
  objects.push(
    {
      type: 'aor',
      fields: {
        contact: uri,
        qualify_frequency: String(trunk.qualifySeconds ?? QUALIFY_SECONDS),
        qualify_timeout: '3',
      },
    },
    { type: 'endpoint', fields: endpointOf(trunk, transport) },
  );
  if (inbound.length > 0) {
    objects.push({ type: 'identify', fields: { endpoint: name, match: inbound.join(',') } });
  }
  if (trunk.register && username !== undefined) {
    objects.push({ type: 'registration', fields: registrationOf(name, { uri, server, username, transport }) });
  }
  return objects;
}

function endpointOf(trunk: Trunk, transport: string): Record<string, string> {
  const { name, username, fromUser, fromDomain, silenceSeconds = SILENCE_SECONDS } = trunk;
  return {
    transport,
    aors: name,
    ...(username !== undefined && { outbound_auth: name }),
    ...(fromUser !== undefined && { from_user: fromUser }),
    ...(fromDomain !== undefined && { from_domain: fromDomain }),
    // A name in From is not enough to be identified as this trunk.
    identify_by: 'ip',
    context: 'from-trunk',
    disallow: 'all',
    allow: 'alaw,ulaw',
    direct_media: 'no',
    rtp_symmetric: 'yes',
    rtp_timeout: String(silenceSeconds),
    rtp_timeout_hold: String(silenceSeconds === 0 ? 0 : SILENCE_ON_HOLD_SECONDS),
    send_pai: 'yes',
    // The INVITE tells carriers the caller id; updates would cost a further INVITE per call.
    send_connected_line: 'no',
    trust_id_inbound: 'yes',
  };
}

/**
 * The endpoint of a trunk whose calls begin through an edge. The route set of the call is empty once the carrier has responded, as the
 * edge asks for none: what follows goes straight to the carrier.
 */
export const endpointOver = (trunk: Trunk, proxy: string): Record<string, string> => ({
  ...endpointOf(trunk, trunk.transport ?? 'udp'),
  outbound_proxy: proxy,
});

function registrationOf(
  name: string,
  { uri, server, username, transport }: { uri: string; server: string; username: string; transport: string },
): Record<string, string> {
  return {
    transport,
    outbound_auth: name,
    server_uri: uri,
    client_uri: `sip:${username}@${server}`,
    contact_user: username,
    max_random_initial_delay: '0',
    retry_interval: '30',
    forbidden_retry_interval: '300',
  };
}

export interface DeclarationOptions {
  ari: Pick<AriClient, 'putObject'>;
  trunks: readonly Trunk[];
  log: Logger;
}

/**
 * Creates the trunks in Asterisk's memory, which end with Asterisk. Calls skip a trunk that Asterisk refuses. Registrations are left
 * to one switch of the fleet: see carrier-registration.ts.
 */
export async function declareTrunks({ ari, trunks, log }: DeclarationOptions): Promise<void> {
  await Promise.all(
    trunks.map(async (trunk) => {
      try {
        for (const { type, fields } of pjsipObjectsOf(trunk).filter((object) => object.type !== 'registration')) {
          await ari.putObject(type, trunk.name, fields);
        }
      } catch (error) {
        log.error({ err: error, trunk: trunk.name }, 'Asterisk refuses a trunk');
      }
    }),
  );
}
