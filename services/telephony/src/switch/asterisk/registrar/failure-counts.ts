export interface FailureLimit {
  /** So many failures of one source … */
  failures: number;
  /** … within this time are too many. */
  windowMs: number;
}

/** Counted at once; an attacker with endless addresses must not fill the memory. */
const MOST_WATCHED = 10_000;

/** Who has failed how often lately. */
export class FailureCounts {
  private readonly recent = new Map<string, number[]>();

  constructor(private readonly limit: FailureLimit) {}

  /** True: this was one too many. The count begins anew then. */
  fail(who: string, now: number): boolean {
    const times = [...(this.recent.get(who) ?? []).filter((at) => at > now - this.limit.windowMs), now];
    this.recent.delete(who);
    if (times.length >= this.limit.failures) return true;
    this.recent.set(who, times);
    // A Map remembers the order of insertion: the first is the one that has not failed for the longest time.
    const [oldest] = this.recent.keys();
    if (this.recent.size > MOST_WATCHED && oldest !== undefined) this.recent.delete(oldest);
    return false;
  }
}
