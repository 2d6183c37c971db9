import { billingEvents } from '@sabia/protos/events/billing';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import { badRequest } from '@sabia/service-kit/errors';

/** The names under which accounts are told of events, by the type under which services publish them. */
export const eventNames = {
  [telephonyEvents.callCreated.type]: 'call.created',
  [telephonyEvents.callRinging.type]: 'call.ringing',
  [telephonyEvents.callAnswered.type]: 'call.answered',
  [telephonyEvents.callEnded.type]: 'call.ended',
  [telephonyEvents.callRecorded.type]: 'call.recorded',
  // Not the event of billing, which comes before the call has its price: whoever is told may ask for the call.
  [telephonyEvents.callPriced.type]: 'call.rated',
  [telephonyEvents.extensionRegistered.type]: 'extension.registered',
  [telephonyEvents.extensionUnregistered.type]: 'extension.unregistered',
  [telephonyEvents.extensionDisplaced.type]: 'extension.displaced',
  [billingEvents.balanceChanged.type]: 'balance.changed',
  [billingEvents.chargeCreated.type]: 'charge.created',
  [billingEvents.chargeConfirmed.type]: 'charge.confirmed',
  [billingEvents.chargeReceived.type]: 'charge.received',
  [billingEvents.chargeOverdue.type]: 'charge.overdue',
  [billingEvents.chargeCancelled.type]: 'charge.cancelled',
  [billingEvents.chargeRefunded.type]: 'charge.refunded',
  [billingEvents.chargeChargedBack.type]: 'charge.chargedback',
  [billingEvents.chargeRestored.type]: 'charge.restored',
} as const;

/** By the status that webhook has recorded; one event of webhook tells of many deliveries. */
export const deliveryNames: Readonly<Record<string, string>> = {
  delivered: 'delivery.delivered',
  retrying: 'delivery.failed',
  dead: 'delivery.dead',
  'not-matched': 'delivery.not-matched',
};

export const allNames: readonly string[] = [...Object.values(eventNames), ...Object.values(deliveryNames)];

const kindOf = (name: string): string => name.slice(0, name.indexOf('.'));

export const allKinds: readonly string[] = [...new Set(allNames.map(kindOf))];

/** The wanted names: "call.*,balance.changed"; undefined wants all of them. */
export function readNames(text: string | undefined): ReadonlySet<string> | undefined {
  const wanted = (text ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  if (wanted.length === 0 || wanted.includes('*')) {
    return undefined;
  }
  const found = wanted.map(namesOf);
  const unknown = wanted.filter((_pattern, index) => found[index]!.length === 0);
  if (unknown.length > 0) {
    const listed = unknown.slice(0, 10).map((pattern) => `"${pattern.slice(0, 50)}"`);
    throw badRequest(
      'INVALID_EVENT_TYPE',
      `Unknown event types: ${listed.join(', ')}. There are ${allNames.join(', ')}, and ${allKinds.map((kind) => `${kind}.*`).join(', ')}.`,
    );
  }
  return new Set(found.flat());
}

function namesOf(pattern: string): string[] {
  return allNames.filter((name) => name === pattern || pattern === `${kindOf(name)}.*`);
}
