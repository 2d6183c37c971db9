import type { Growth } from './axis';

const [width, height] = [760, 400];
const frame = { left: 56, right: 210, top: 44, bottom: 48 };
const colours = ['#2b6cb0', '#c05621', '#2f855a', '#805ad5', '#b83280'];
const gap = 16;

/** A picture of the curves: the size on a logarithmic scale, the cost from zero. Readable on light and dark pages. */
export function plot({ title, curves }: Growth): string {
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b);
  const top = niceTop(Math.max(...curves.flatMap(({ points }) => points.map(({ cpuMs }) => cpuMs))));
  const [first, last] = [Math.log(sizes[0]!), Math.log(sizes.at(-1)!)];
  const x = (size: number): number =>
    frame.left + ((Math.log(size) - first) / (last - first || 1)) * (width - frame.left - frame.right);
  const y = (cpuMs: number): number => height - frame.bottom - (cpuMs / top) * (height - frame.top - frame.bottom);

  const across = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const level = y(top * part);
    return (
      `<line class="grid" x1="${frame.left}" y1="${level}" x2="${width - frame.right}" y2="${level}"/>` +
      `<text x="${frame.left - 8}" y="${level + 4}" text-anchor="end">${(top * part).toPrecision(2)}</text>`
    );
  });
  const below = sizes.map(
    (size) =>
      `<text x="${x(size)}" y="${height - frame.bottom + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  );
  const ends = spread(curves.map(({ points }) => y(points.at(-1)!.cpuMs)));
  const lines = curves.map(({ job, points }, nth) => {
    const colour = colours[nth % colours.length]!;
    const path = points.map(({ size, cpuMs }) => `${x(size).toFixed(1)},${y(cpuMs).toFixed(1)}`).join(' ');
    const dots = points.map(
      ({ size, cpuMs }) =>
        `<circle cx="${x(size).toFixed(1)}" cy="${y(cpuMs).toFixed(1)}" r="3.5" fill="${colour}"><title>${cpuMs.toFixed(2)} ms</title></circle>`,
    );
    const label = `${job} ${points.at(-1)!.cpuMs.toFixed(2)}`;
    return (
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}` +
      `<text x="${width - frame.right + 12}" y="${ends[nth]! + 4}" style="fill:${colour}">${label}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="CPU per job by ${title}">
<style>
  text { font: 13px system-ui, sans-serif; fill: #4a5568 }
  .title { font-size: 15px; font-weight: 600 }
  .grid { stroke: #a0aec0; stroke-opacity: 0.35 }
  @media (prefers-color-scheme: dark) { text { fill: #cbd5e0 } }
</style>
<text class="title" x="${frame.left}" y="22">Milliseconds of CPU per job, by ${title}</text>
${[...across, ...below, ...lines].join('\n')}
</svg>
`;
}

/** The least of 1, 2, 2.5, 5 and their tenfold that is above the value. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10].map((step) => step * power).find((step) => step >= value * 1.02)!;
}

/** Moves labels apart that would cover each other; they keep their order. */
function spread(levels: number[]): number[] {
  const order = levels.map((level, nth) => ({ level, nth })).sort((a, b) => a.level - b.level);
  for (const [place, each] of order.entries()) {
    const above = order[place - 1];
    if (above !== undefined) each.level = Math.max(each.level, above.level + gap);
  }
  return order.sort((a, b) => a.nth - b.nth).map(({ level }) => level);
}
