/** How it goes with a receiver; shared by all replicas. */
export interface Circuit {
  consecutiveFailures: number;
  /** How often it has been left alone since the last success. */
  circuitLevel: number;
  pausedUntil: Date | null;
  /** The first failure since the last success, or since a time without any attempt. */
  failingSince: Date | null;
  lastFailureAt: Date | null;
}

/** What some attempts at one receiver have come to. */
export interface Tally {
  successes: number;
  failures: number;
  /** Failures of the receiver as such: no answer, 429, 5xx. One that answers 400 is alive. */
  faults: number;
  /** The longest that it asked to be left alone. */
  retryAfterMs: number;
}

const faultsThatOpen = 5;
const shortestPauseMs = 5_000;
const longestPauseMs = 60_000;
const longestRetryAfterMs = 60 * 60 * 1000;

/** The last attempts at a delivery are a day apart, a tenth more or less. */
const longestSilenceMs = 27 * 60 * 60 * 1000;

const healthyLimit = 64;
const shakyLimit = 4;

/** How many requests may be under way at once: a receiver in trouble gets few, one behind an open circuit a single probe. */
export const receiverLimits = { healthy: healthyLimit, shaky: shakyLimit, open: 1, faultsThatOpen };

export const hasTrouble = ({ consecutiveFailures, failingSince, pausedUntil }: Circuit): boolean =>
  consecutiveFailures > 0 || failingSince !== null || pausedUntil !== null;

/** After too many faults in a row the receiver is left alone for a while, longer each time, and then probed. */
export function updateCircuit(circuit: Circuit, tally: Tally, now: Date): Circuit {
  const asked = new Date(now.getTime() + Math.min(tally.retryAfterMs, longestRetryAfterMs));
  const askedUntil = tally.retryAfterMs > 0 ? asked : null;
  if (tally.successes > 0) {
    return {
      consecutiveFailures: 0,
      circuitLevel: 0,
      pausedUntil: askedUntil,
      failingSince: null,
      lastFailureAt: null,
    };
  }
  const wasQuiet = circuit.lastFailureAt !== null && now.getTime() - circuit.lastFailureAt.getTime() > longestSilenceMs;
  const consecutiveFailures = circuit.consecutiveFailures + tally.faults;
  const paused = circuit.pausedUntil !== null && circuit.pausedUntil > now;
  const opens = tally.faults > 0 && consecutiveFailures >= faultsThatOpen && !paused;
  const pauseMs = Math.min(shortestPauseMs * 2 ** circuit.circuitLevel, longestPauseMs);
  return {
    consecutiveFailures,
    circuitLevel: circuit.circuitLevel + (opens ? 1 : 0),
    pausedUntil: latest(circuit.pausedUntil, askedUntil, opens ? new Date(now.getTime() + pauseMs) : null),
    failingSince: tally.failures > 0 && (circuit.failingSince === null || wasQuiet) ? now : circuit.failingSince,
    lastFailureAt: tally.failures > 0 ? now : circuit.lastFailureAt,
  };
}

function latest(...times: (Date | null)[]): Date | null {
  return times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null);
}

const fiveDaysMs = 5 * 24 * 60 * 60 * 1000;

export const hasFailedForTooLong = ({ failingSince }: Circuit, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() >= fiveDaysMs;
