/** The loudest sample of each of `count` equal parts, scaled so that the loudest part is 1. */
export function peaksOf(samples: Float32Array, count: number): number[] {
  const peaks = Array.from({ length: count }, (_, part) => {
    const end = Math.floor(((part + 1) * samples.length) / count);
    let peak = 0;
    for (let index = Math.floor((part * samples.length) / count); index < end; index += 1) {
      peak = Math.max(peak, Math.abs(samples[index] ?? 0));
    }
    return peak;
  });
  const loudest = Math.max(...peaks);
  return loudest === 0 ? peaks : peaks.map((peak) => peak / loudest);
}

/** Bars around the middle of a box of `count` × 2 units, as an SVG path. */
export function barsOf(peaks: readonly number[]): string {
  const least = 0.04;
  return peaks
    .map((peak, index) => {
      const half = Math.max(least, peak);
      return `M${index + 0.2} ${(1 - half).toFixed(3)}h0.6v${(2 * half).toFixed(3)}h-0.6z`;
    })
    .join('');
}
