import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, release, type } from 'node:os';
import { join } from 'node:path';
import type { Comparison } from './comparison';
import type { Result } from './harness';
import type { SideBySide, Spread } from './side-by-side';
import type { Trial } from './trial';

export interface Measured {
  results: Result[];
  comparisons: Comparison[];
  trials?: Trial[];
  sideBySide?: SideBySide[];
}

export interface Report extends Measured {
  takenAt: string;
  machine: { cpu: string; cores: number; arch: string; system: string; node: string };
}

export function describe(measured: Measured, takenAt: Date): Report {
  return {
    takenAt: takenAt.toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      arch: arch(),
      system: `${type()} ${release().split('-')[0]}`,
      node: process.version,
    },
    ...measured,
  };
}

export function toMarkdown(report: Report): string {
  const { machine } = report;
  return [
    `${report.takenAt}, ${machine.cores} cores (${machine.cpu}, ${machine.arch}), Node ${machine.node}. Read the ratios, not the absolutes.`,
    '',
    ...resultTable(report.results),
    ...trialTable(report.trials ?? []),
    ...comparisonTable(report.comparisons),
    ...sideBySideTable(report.sideBySide ?? []),
  ].join('\n');
}

function resultTable(results: Result[]): string[] {
  const rows = results.map((result) =>
    [
      result.name,
      `${result.floorName}: ${result.floorPerSecond.toFixed(0)}/s`,
      `${result.productPerSecond.toFixed(0)}/s`,
      result.ratio.toFixed(2),
      result.target === undefined ? '' : `≥ ${result.target.toFixed(2)}`,
      milliseconds(result.p50),
      milliseconds(result.p99),
    ].join(' | '),
  );
  return table('| job | floor | product | ratio | target | p50 | p99 |', rows);
}

/** Out of a backlog there is no latency to speak of. */
const milliseconds = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(1)} ms`);

function trialTable(trials: Trial[]): string[] {
  const rows = trials.map(({ name, floor, measured, target, kept }) =>
    [name, floor, measured, target, kept ? 'kept' : 'BROKEN'].join(' | '),
  );
  return table('| promise | floor | measured | target | verdict |', rows);
}

function comparisonTable(comparisons: Comparison[]): string[] {
  const rows = comparisons.map(({ name, sides, medians, rounds, t, indistinguishable }) =>
    [
      name,
      sides.map((side, index) => `${side}: ${medians[index]!.toFixed(2)} ms`).join(', '),
      `${(medians[0] - medians[1]).toFixed(2)} ms`,
      `${t.toFixed(2)} (${rounds} each)`,
      indistinguishable ? 'indistinguishable' : 'DIFFERENT',
    ].join(' | '),
  );
  return table('| check | medians | difference | Welch t | verdict |', rows);
}

/** CPU per request is that of all processes of a stack, PostgreSQL, NATS and Redis among them. */
function sideBySideTable(results: SideBySide[]): string[] {
  const [here, other] = results[0]?.sides ?? ['', ''];
  const rows = results.map(({ name, perSecond, pace, cpuMs, cpu }) =>
    [
      name,
      ...perSecond.map((value) => `${value.toFixed(0)}/s`),
      writeSpread(pace),
      ...(cpuMs ?? []).map((value) => `${value.toFixed(2)} ms`),
      ...(cpu === undefined ? [] : [writeSpread(cpu)]),
    ].join(' | '),
  );
  const cpuColumns = results.every(({ cpu }) => cpu !== undefined) ? ` CPU, ${here} | CPU, ${other} | ratio |` : '';
  return table(`| job | ${here} | ${other} | ratio |${cpuColumns}`, rows);
}

const writeSpread = ({ median, lowest, highest }: Spread): string =>
  `${median.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;

function table(head: string, rows: string[]): string[] {
  if (rows.length === 0) return [];
  const columns = head.split('|').length - 2;
  return [head, `|${'---|'.repeat(columns)}`, ...rows.map((row) => `| ${row} |`), ''];
}

export async function save(report: Report, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const json = join(folder, 'latest.json');
  const markdown = join(folder, 'latest.md');
  await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(markdown, toMarkdown(report));
  return [json, markdown];
}
