import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, release, type } from 'node:os';
import { join } from 'node:path';
import type { Result } from './harness';

export interface Report {
  takenAt: string;
  machine: { cpu: string; cores: number; arch: string; system: string; node: string };
  results: Result[];
}

export function describe(results: Result[], takenAt: Date): Report {
  return {
    takenAt: takenAt.toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      arch: arch(),
      system: `${type()} ${release().split('-')[0]}`,
      node: process.version,
    },
    results,
  };
}

export function toMarkdown(report: Report): string {
  const { machine } = report;
  const rows = report.results.map((result) =>
    [
      result.name,
      `${result.floorName}: ${result.floorPerSecond.toFixed(0)}/s`,
      `${result.productPerSecond.toFixed(0)}/s`,
      result.ratio.toFixed(2),
      result.target === undefined ? '' : `≥ ${result.target.toFixed(2)}`,
      `${result.p50.toFixed(1)} ms`,
      `${result.p99.toFixed(1)} ms`,
    ].join(' | '),
  );
  return [
    `${report.takenAt}, ${machine.cores} cores (${machine.cpu}, ${machine.arch}), Node ${machine.node}. Read the ratios, not the absolutes.`,
    '',
    '| job | floor | product | ratio | target | p50 | p99 |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

export async function save(report: Report, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const json = join(folder, 'latest.json');
  const markdown = join(folder, 'latest.md');
  await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(markdown, toMarkdown(report));
  return [json, markdown];
}
