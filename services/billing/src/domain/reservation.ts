import { invalid } from '@sabia/service-kit/errors';
import type { Money } from './money';
import type { Tariff } from './tariff';

export type ReservationState = 'open' | 'released' | 'expired' | 'settled';

/** The money side of one call. */
export interface Reservation extends Tariff {
  callId: string;
  accountId: number;
  destination: string;
  state: ReservationState;
  /** The amount held; zero unless open. */
  amount: Money;
  /** Talking time that the amount pays for. */
  seconds: number;
  /** Once settled. */
  price?: Money;
  billedSeconds?: number;
}

export interface EndedCall {
  callId: string;
  accountId: number;
  destination: string;
  /** From answer to end; 0 for a call that is free of charge. */
  durationSeconds: number;
  /** For a call that never held credit; one that did is settled at the tariff it began with. */
  tariff: Tariff;
  at: Date;
}

/** A call whose price is booked. */
export interface RatedCall {
  callId: string;
  accountId: number;
  minutePrice: Money;
  price: Money;
  billedSeconds: number;
}

/**
 * There is a place for the reservation of every call of now: an id that has none is of a month whose reservations are gone, of a clock
 * that is wrong, or not a version 7 uuid.
 */
export class CallOutOfTime extends Error {
  override readonly name = 'CallOutOfTime';

  constructor(callId: string, moment: Date) {
    super(`${callId} is of ${moment.toISOString()}, for which there are no reservations`);
  }
}

/** For calls between extensions, inbound calls, and destinations without a rate. */
export const freeOfCharge: Tariff = { minutePrice: 0, minimumSeconds: 0, incrementSeconds: 1 };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isCallId = (text: string): boolean => uuid.test(text);

export function readCallId(callId: string): string {
  if (!isCallId(callId)) {
    throw invalid('reservation', [{ field: 'callId', code: 'format', message: 'must be a uuid' }]);
  }
  return callId.toLowerCase();
}

/** A hold that is not claimed for this long after the time it pays for goes back to the account. */
export function expiryOf(now: Date, seconds: number, graceSeconds: number): Date {
  return new Date(now.getTime() + (seconds + graceSeconds) * 1000);
}
