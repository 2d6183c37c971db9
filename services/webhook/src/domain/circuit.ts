/** The state of a receiver, shared by all replicas. */
export interface Circuit {
  consecutiveFailures: number;
  /** How often it has been paused since the last success. */
  circuitLevel: number;
  pausedUntil: Date | null;
  /** The first failure since the last success, or since a time without any attempt. */
  failingSince: Date | null;
  lastFailureAt: Date | null;
}

/** The results of some attempts at one receiver. */
export interface Tally {
  successes: number;
  failures: number;
  /** Failures of the receiver as such: no response, 429, 5xx. A receiver that answers 400 works. */
  faults: number;
  /** The longest pause that it asked for. */
  retryAfterMs: number;
}

const faultsThatOpen = 5;
const shortestPauseMs = 5_000;
const longestPauseMs = 60_000;
const longestRetryAfterMs = 60 * 60 * 1000;

/** The last attempts at a delivery are a day apart, give or take a tenth. */
const longestSilenceMs = 27 * 60 * 60 * 1000;

const healthyLimit = 64;
const shakyLimit = 4;

/** `shaky` after a fault, `open` after five in a row, `healthy` again after any answer that is no fault. */
export type Health = 'healthy' | 'shaky' | 'open';

export const healthOf = (consecutiveFaults: number): Health => {
  if (consecutiveFaults === 0) {
    return 'healthy';
  }
  return consecutiveFaults < faultsThatOpen ? 'shaky' : 'open';
};

/** How many requests may be under way at once: few for a shaky receiver, a single probe behind an open circuit. */
export const receiverLimits = { healthy: healthyLimit, shaky: shakyLimit, open: 1, faultsThatOpen };

export const hasTrouble = ({ consecutiveFailures, failingSince, pausedUntil }: Circuit): boolean =>
  consecutiveFailures > 0 || failingSince !== null || pausedUntil !== null;

/** After too many faults in a row the receiver is paused, for longer each time, and then probed. */
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

/** When a receiver that goes on failing is disabled; undefined while it does not fail. */
export const disablesAt = ({ failingSince }: Pick<Circuit, 'failingSince'>): Date | undefined =>
  failingSince === null ? undefined : new Date(failingSince.getTime() + fiveDaysMs);

export const hasFailedForTooLong = (circuit: Circuit, now: Date): boolean => {
  const end = disablesAt(circuit);
  return end !== undefined && now >= end;
};
