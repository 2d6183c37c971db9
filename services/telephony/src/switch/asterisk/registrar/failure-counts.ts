export interface FailureLimit {
  /** This many failures of one source … */
  failures: number;
  /** … within this time are too many. */
  windowMs: number;
}

/** Limits the memory that an attacker with endless addresses can fill. */
const MOST_WATCHED = 10_000;

/** Counts recent failures by source. */
export class FailureCounts {
  private readonly recent = new Map<string, number[]>();

  constructor(private readonly limit: FailureLimit) {}

  /** True: the limit is reached; the count then starts again. */
  fail(who: string, now: number): boolean {
    const times = [...(this.recent.get(who) ?? []).filter((at) => at > now - this.limit.windowMs), now];
    this.recent.delete(who);
    if (times.length >= this.limit.failures) return true;
    this.recent.set(who, times);
    // A Map keeps the order of insertion: the first entry has not failed for the longest time.
    const [oldest] = this.recent.keys();
    if (this.recent.size > MOST_WATCHED && oldest !== undefined) this.recent.delete(oldest);
    return false;
  }
}
