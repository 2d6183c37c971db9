import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt, say } from './attempt';
import { freePort } from './free-port';
import { accounts } from './growth/accounts';
import { measureGrowth } from './growth/axis';
import type { Axis, Growth } from './growth/axis';
import { callsMade } from './growth/calls-made';
import { integrations } from './growth/integrations';
import { liveCalls } from './growth/live-calls';
import { plot } from './growth/plot';
import { replicas } from './growth/replicas';
import { once } from './once';
import { describe } from './report';
import { startStack } from './stack';
import type { BenchStack } from './stack';

/** What a job costs as rows, tenants, integrations, live calls and replicas become more: a plot for each, and a table. */
export async function runGrowth(
  root: string,
  { words, rows = 1_000_000 }: { words: string[]; rows?: number },
): Promise<void> {
  const home = join(root, '.sabia', 'bench-growth');
  const start = (environment: NodeJS.ProcessEnv = {}): Promise<BenchStack> =>
    freePort().then((port) =>
      startStack(root, port, {
        home,
        environment: { SABIA_SWITCH: 'simulated', MAXIMUM_LIVE_CALLS: '0', ...environment },
      }),
    );
  const onOneStack = (axisOf: (openStack: () => Promise<BenchStack>) => Axis): (() => Axis) => {
    return () => {
      const open = once(() => start());
      const axis = axisOf(open);
      return { ...axis, close: async () => void (await axis.close(), await (await open()).close()) };
    };
  };
  const axes: Record<string, () => Axis> = {
    calls: onOneStack((open) => callsMade(open, rows)),
    accounts: onOneStack(accounts),
    integrations: onOneStack(integrations),
    live: onOneStack(liveCalls),
    replicas: () => replicas((count) => start({ SABIA_REPLICAS: String(count), SABIA_GATEWAYS: '1' })),
  };
  const chosen = Object.entries(axes).filter(([name]) => words.length === 0 || words.includes(name));
  const measured: Growth[] = [];
  for (const [name, open] of chosen) {
    await attempt(`growth by ${name}`, async () => measured.push(await measureGrowth(open(), say)));
  }
  const plots = join(root, 'docs', 'plots');
  await mkdir(plots, { recursive: true });
  for (const growth of measured) await writeFile(join(plots, `growth-${growth.axis}.svg`), plot(growth));
  await mkdir(join(root, 'bench', 'results'), { recursive: true });
  const { takenAt, machine } = describe({ results: [], comparisons: [] }, new Date());
  await writeFile(
    join(root, 'bench', 'results', 'growth.json'),
    `${JSON.stringify({ takenAt, machine, growth: measured }, null, 2)}\n`,
  );
  process.stdout.write(measured.map(toTable).join('\n'));
}

function toTable({ title, curves }: Growth): string {
  const sizes = curves[0]!.points.map(({ size }) => size.toLocaleString('en'));
  const lines = curves.map(({ job, points }) => [
    job,
    ...points.map(({ cpuMs }) => cpuMs.toFixed(2)),
    (points.at(-1)!.cpuMs / points[0]!.cpuMs).toFixed(2),
  ]);
  const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row([`CPU ms, by ${title}`, ...sizes, 'last ÷ first']),
    row(Array<string>(sizes.length + 2).fill('---')),
    ...lines.map(row),
    '',
  ].join('\n');
}
