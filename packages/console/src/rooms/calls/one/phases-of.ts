import type { TimelineEntry } from '@sabia/client';
import type { Call } from '../call-queries';

export interface Phase {
  name: 'caller' | 'destination' | 'talk';
  from: number;
  to: number;
}

/** The stretches of a call: its own phone rings, the destination rings, both talk. `now` ends the one that lasts. */
export function phasesOf(call: Call, entries: readonly TimelineEntry[], now: number): Phase[] {
  const timeOf = (iso: string | null | undefined) => (iso ? Date.parse(iso) : undefined);
  const noted = (message: string) => timeOf(entries.find((entry) => entry.message === message)?.at);
  const start = timeOf(call.started_at) ?? now;
  const answered = timeOf(call.answered_at);
  const end = Math.max(timeOf(call.ended_at) ?? now, answered ?? start);
  const pickedUp = noted('caller picked up');
  // A call that began on a phone has no caller to ring.
  const callerRings = pickedUp !== undefined || noted('caller rings') !== undefined;
  const ringing: Phase[] = callerRings
    ? [
        { name: 'caller', from: start, to: pickedUp ?? answered ?? end },
        ...(pickedUp === undefined ? [] : [{ name: 'destination' as const, from: pickedUp, to: answered ?? end }]),
      ]
    : [{ name: 'destination', from: start, to: answered ?? end }];
  return answered === undefined ? ringing : [...ringing, { name: 'talk', from: answered, to: end }];
}
