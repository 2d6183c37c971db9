/** What a getStats report says about one moment of a call; all counts are totals since its start. */
export interface MediaCounts {
  at: number;
  received: number;
  lost: number;
  /** Seconds. */
  jitter: number;
  /** Seconds; undefined until the other side has reported once. */
  roundTrip: number | undefined;
  /** Energy of the audio that was received; grows while there is sound. */
  energy: number;
}

export type Rating = 'good' | 'fair' | 'poor';

export interface QualityReport {
  rating: Rating;
  /** Share of the packets of the last seconds that did not arrive, 0 to 1. */
  loss: number;
  jitterMs: number;
  roundTripMs: number | undefined;
  /** Mean opinion score by the simplified E-model, 1 to 4.5. */
  score: number;
  /** Sound has arrived since the last report, not only packets. */
  hearsSound: boolean;
}

/** Undefined: the report has no incoming audio yet. */
export function readCounts(report: Iterable<Record<string, unknown>>, at: number): MediaCounts | undefined {
  let counts: MediaCounts | undefined;
  let roundTrip: number | undefined;
  for (const entry of report) {
    if (entry.type === 'inbound-rtp' && entry.kind === 'audio') {
      counts = {
        at,
        received: numberOf(entry.packetsReceived),
        lost: numberOf(entry.packetsLost),
        jitter: numberOf(entry.jitter),
        roundTrip: undefined,
        energy: numberOf(entry.totalAudioEnergy),
      };
    } else if (entry.type === 'remote-inbound-rtp' && typeof entry.roundTripTime === 'number') {
      roundTrip = entry.roundTripTime;
    } else if (entry.type === 'candidate-pair' && entry.nominated === true && roundTrip === undefined) {
      roundTrip = typeof entry.currentRoundTripTime === 'number' ? entry.currentRoundTripTime : undefined;
    }
  }
  return counts && { ...counts, roundTrip };
}

/** Rates the time between two readings. */
export function rate(before: MediaCounts, now: MediaCounts): QualityReport {
  const received = Math.max(0, now.received - before.received);
  const lost = Math.max(0, now.lost - before.lost);
  const expected = received + lost;
  // Nothing at all arrived: as bad as everything lost.
  const loss = expected === 0 ? 1 : lost / expected;
  const score = opinionScore({ loss, jitter: now.jitter, roundTrip: now.roundTrip ?? 0 });
  return {
    rating: score >= 4 ? 'good' : score >= 3.4 ? 'fair' : 'poor',
    loss,
    jitterMs: Math.round(now.jitter * 1000),
    roundTripMs: now.roundTrip === undefined ? undefined : Math.round(now.roundTrip * 1000),
    score: Math.round(score * 10) / 10,
    hearsSound: now.energy > before.energy,
  };
}

/** The E-model of ITU-T G.107, simplified as usual: delay, jitter and loss are subtracted from a perfect transmission. */
function opinionScore({ loss, jitter, roundTrip }: { loss: number; jitter: number; roundTrip: number }): number {
  const delayMs = (roundTrip * 1000) / 2 + jitter * 2000 + 10;
  const delayed = 93.2 - (delayMs < 160 ? delayMs / 40 : (delayMs - 120) / 10);
  const factor = Math.max(0, Math.min(100, delayed - loss * 250));
  return 1 + 0.035 * factor + 7e-6 * factor * (factor - 60) * (100 - factor);
}

const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
