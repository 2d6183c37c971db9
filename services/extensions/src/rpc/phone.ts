import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { Phone } from '@sabia/protos/sabia/extensions/v1/messages';
import type { StoredExtension } from '../domain/extension';
import { offerIceServers } from '../domain/ice-servers';
import type { Dependencies } from './dependencies';
import { toMessageFor, toReader } from './messages';

/** The gateway passes it on to the switch. */
const websocketPath = '/sip';
/** Telephony puts it into the INVITE of a call that was placed through the API, whatever else is configured there. */
const autoAnswer = { header: 'Call-Info', contains: 'answer-after=0' };

export function toPhone(
  { vault, ice, sipServers, now }: Pick<Dependencies, 'vault' | 'ice' | 'sipServers' | 'now'>,
  caller: Caller,
  extension: StoredExtension | undefined,
): Phone {
  const { servers, expiresAt } = offerIceServers(ice, caller.userUuid, now());
  return Phone.fromPartial({
    extension: extension && toMessageFor(toReader(caller), extension, vault),
    websocketPath,
    iceServers: servers,
    iceServersExpireAt: expiresAt,
    autoAnswer,
    sipServers,
  });
}
