import { billingEvents, chargeEvents } from './billing';
import { telephonyEvents } from './telephony';
import { webhookEvents } from './webhook';

/** Where the relay publishes an event that accounts follow live: for services and accounts, or for accounts alone. */
export type LiveAudience = 'services and accounts' | 'accounts';

const shared = [
  telephonyEvents.callCreated,
  telephonyEvents.callAnswered,
  telephonyEvents.callEnded,
  telephonyEvents.callRecorded,
  telephonyEvents.extensionRegistered,
  telephonyEvents.extensionUnregistered,
  telephonyEvents.extensionDisplaced,
  ...Object.values(chargeEvents),
];

/** No service consumes these. */
const forAccounts = [
  telephonyEvents.callRinging,
  telephonyEvents.callPriced,
  billingEvents.balanceChanged,
  webhookEvents.deliveriesRecorded,
];

/** By type. Events that are not listed are for services only. */
export const liveAudiences: ReadonlyMap<string, LiveAudience> = new Map([
  ...shared.map(({ type }) => [type, 'services and accounts'] as const),
  ...forAccounts.map(({ type }) => [type, 'accounts'] as const),
]);
