import { rate, readCounts } from './quality';
import type { MediaCounts, QualityReport } from './quality';

const EVERY_MS = 1_000;

/** Rates the call every second for as long as there is one; returns a function that stops. */
export function watchQuality(
  statistics: () => Promise<Record<string, unknown>[]>,
  onReport: (report: QualityReport) => void,
): () => void {
  let before: MediaCounts | undefined;
  const timer = setInterval(() => {
    void statistics()
      .then((report) => {
        const counts = readCounts(report, Date.now());
        if (counts !== undefined && before !== undefined && counts.received >= before.received) {
          onReport(rate(before, counts));
        }
        before = counts;
      })
      .catch(() => undefined);
  }, EVERY_MS);
  return () => clearInterval(timer);
}
