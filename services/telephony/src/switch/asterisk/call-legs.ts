import { placingOf, TAKEOVER, trunkOf } from '../../domain/live-call';
import type { LiveCall } from '../../domain/live-call';
import { formatNumber } from '../../domain/trunk';
import type { Trunk } from '../../domain/trunk';
import type { ExtensionName } from '../port';
import type { AriChannel, NewChannel } from './ari-types';

// The names of a call's channels and bridge follow from its id, so that they need not be stored.

/** A call that is placed again has other names: what is left of it on the first switch must not be taken for it. */
export const aChannelOf = ({ id, aChannel, attempt }: Pick<LiveCall, 'id' | 'aChannel' | 'attempt'>): string =>
  aChannel ?? `${id}-a${placingOf(attempt) || ''}`;
/** The leg of an extension that takes over from the caller; the number keeps it apart from those before it. */
export const laterAChannelOf = (callId: string, nth: number): string => `${callId}-a${nth}`;
export const bChannelOf = (callId: string, attempt: number): string => `${callId}-b${attempt}`;
export const bridgeOf = (callId: string): string => callId;

const ownChannel = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})-(?:a\d*|b\d+)$/;

/** The call of a channel that this service made. */
export const callOfChannel = (channelId: string): string | undefined => ownChannel.exec(channelId)?.[1];

export const endpointOf = ({ ramal, domain }: ExtensionName): string => `PJSIP/${ramal}@${domain}`;

/** PJSIP/1000@domain-0000002a */
export function extensionOf({ name }: AriChannel): ExtensionName | undefined {
  const [, ramal, domain] = /^PJSIP\/([^@]+)@(.+)-[0-9a-f]+$/.exec(name) ?? [];
  return ramal === undefined || domain === undefined ? undefined : { ramal, domain };
}

/** Whether telephony may tell the channel what to do. One that was originated is not there before it is up. */
export const isInStasis = ({ dialplan }: AriChannel): boolean => dialplan.app_name === 'Stasis';

/** The phone of a caller: it sees the destination, and the callee sees `shown`. */
export const callerChannelOf = (call: LiveCall, shown: string | undefined): NewChannel => ({
  endpoint: endpointOf(call),
  channelId: aChannelOf(call),
  appArgs: `leg-a,${call.id}`,
  variables: {
    'CONNECTEDLINE(num,i)': call.to,
    ...namingCall(call.id),
    ...namingPlacing(call.id, call.attempt),
    ...(shown !== undefined && { 'CALLERID(num)': shown }),
  },
});

export interface Callee {
  channel: NewChannel;
  /** The caller id that the callee sees. In a bridge it is taken from the caller's channel, which must have it by then. */
  shown: string;
}

/** The callee's leg, over the trunk of this attempt. Undefined: there is no further trunk. */
export function calleeOf(call: LiveCall, trunk: Trunk | undefined, attempt: number): Callee | undefined {
  const reach =
    call.type === 'outbound' ? overTrunk(call, trunk) : trunkOf(attempt) === 0 ? atSoftphone(call, attempt) : undefined;
  if (reach === undefined) {
    return undefined;
  }
  const { endpoint, shown, headers } = reach;
  return {
    channel: {
      endpoint,
      channelId: bChannelOf(call.id, attempt),
      appArgs: `leg-b,${call.id}`,
      originator: aChannelOf(call),
      variables: { 'CALLERID(num)': call.to, 'CONNECTEDLINE(num,i)': shown, ...headers },
    },
    shown,
  };
}

function atSoftphone({ id, type, to, from, ramal, domain }: LiveCall, leg: number) {
  return {
    endpoint: endpointOf({ ramal: type === 'internal' ? to : ramal, domain }),
    shown: from,
    headers: { ...namingCall(id, leg), ...namingPlacing(id, leg) },
  };
}

/** The endpoint of a leg over another way to the same trunk. */
export const endpointAt = (endpoint: string, name: string): string => endpoint.replace(/@[^@]*$/, `@${name}`);

function overTrunk(call: LiveCall, trunk: Trunk | undefined) {
  if (trunk === undefined) {
    return undefined;
  }
  const number = call.bina ?? trunk.callerId;
  return {
    endpoint: `PJSIP/${formatNumber(trunk, call.to)}@${trunk.name}`,
    // In the carrier's format, without the prefix, which is for routing only.
    // The call of a proof has no extension either.
    shown:
      number === undefined
        ? call.from || 'anonymous'
        : formatNumber({ ...trunk, prefix: undefined }, number.replace(/^\+/, '')),
    headers: {},
  };
}

/** Tells a softphone which call of the API it takes part in, and the number of its leg; carriers are not told. */
export const namingCall = (callId: string, leg = 0): Record<string, string> => ({
  'PJSIP_HEADER(add,X-Sabia-Call)': callId,
  'PJSIP_HEADER(add,X-Sabia-Leg)': String(leg),
});

/** Tells an edge because of which placing of which call a carrier is asked or a phone rings. The edge does not pass it on. */
export const namingPlacing = (callId: string, attempt: number): Record<string, string> => ({
  'PJSIP_HEADER(add,X-Sabia-Placing)': `${callId}.${placingOf(attempt)}`,
});

/** The same of a leg that takes over: it belongs to no placing, and is over with the call. */
export const namingTakeover = (callId: string): Record<string, string> => ({
  'PJSIP_HEADER(add,X-Sabia-Placing)': `${callId}.${TAKEOVER}`,
});

/** Headers that make the caller's softphone pick up without ringing; phones differ in which of them they support. */
export const autoAnswer = (integratedCallHeader?: string): Record<string, string> => ({
  'PJSIP_HEADER(add,Alert-Info)': '<http://localhost>;info=alert-autoanswer;delay=0',
  'PJSIP_HEADER(add,Call-Info)': '<sip:localhost>;answer-after=0',
  'PJSIP_HEADER(add,P-Auto-Answer)': 'normal',
  ...(integratedCallHeader !== undefined && { [`PJSIP_HEADER(add,${integratedCallHeader})`]: 'true' }),
});
