import { readArguments } from './arguments';
import { cpuSecondsOf, parseStat } from './process-usage';
import { FailedRun } from './harness';
import { toMarkdown } from './report';
import { measureSideBySide, summary } from './side-by-side';
import type { Side } from './side-by-side';
import type { BenchStack } from './stack';

const plan = { rounds: 2, roundMs: 20, warmUpMs: 1 };

/** A stack that has used a second of CPU more whenever it is asked. */
function sideOf(name: string): Side {
  let used = 0;
  return { name, stack: { cpuSeconds: () => (used += 1) } as unknown as BenchStack };
}

describe('two stacks side by side', () => {
  it('reports pace and CPU of both, and the ratio of each round', () => {
    const { perSecond, pace, cpuMs, cpu } = summary(
      'job',
      ['here', 'other'],
      [
        [
          { perSecond: 100, cpuMs: 1 },
          { perSecond: 50, cpuMs: 2 },
        ],
        [
          { perSecond: 90, cpuMs: 1 },
          { perSecond: 60, cpuMs: 4 },
        ],
        [
          { perSecond: 80, cpuMs: 1 },
          { perSecond: 80, cpuMs: 1 },
        ],
      ],
    );
    expect(perSecond).toEqual([90, 60]);
    expect(pace).toEqual({ median: 1.5, lowest: 1, highest: 2 });
    expect(cpuMs).toEqual([1, 2]);
    expect(cpu).toEqual({ median: 0.5, lowest: 0.25, highest: 1 });
  });

  it('leaves CPU out where the system does not tell', () => {
    const round = [
      { perSecond: 100, cpuMs: undefined },
      { perSecond: 50, cpuMs: undefined },
    ] as const;
    expect(summary('job', ['here', 'other'], [round])).not.toHaveProperty('cpu');
  });

  it('takes turns at going first and closes both', async () => {
    const order: string[] = [];
    const closed: string[] = [];
    const names = new Map<BenchStack, string>();
    const sides = [sideOf('here'), sideOf('other')] as const;
    for (const { name, stack } of sides) names.set(stack, name);
    const prepare = async (stack: BenchStack) => ({
      work: {
        run: async (_durationMs: number, onStart?: () => void) => {
          onStart?.();
          order.push(names.get(stack)!);
          return { count: 10, perSecond: 10, p50: 0, p99: 0, errors: [] };
        },
      },
      close: async () => void closed.push(names.get(stack)!),
    });
    const { cpuMs } = await measureSideBySide({ name: 'job', prepare }, sides, { ...plan, warmUpMs: 0 }, () => {});
    expect(order).toEqual(['here', 'other', 'other', 'here']);
    expect(closed.sort()).toEqual(['here', 'other']);
    expect(cpuMs).toEqual([100, 100]);
  });

  it('refuses a run with errors', async () => {
    const failed = { count: 0, perSecond: 0, p50: 0, p99: 0, errors: ['status 503'] };
    const entry = { name: 'job', prepare: async () => ({ work: { run: async () => failed }, close: async () => {} }) };
    await expect(measureSideBySide(entry, [sideOf('here'), sideOf('other')], plan, () => {})).rejects.toThrow(
      /here.*status 503/,
    );
  });

  it('prints one row for each job', () => {
    const spread = { median: 1.2, lowest: 1.1, highest: 1.3 };
    const result = {
      name: 'job',
      sides: ['here', 'main'] as [string, string],
      perSecond: [120, 100] as [number, number],
    };
    const table = toMarkdown({
      takenAt: '2026-01-01T00:00:00.000Z',
      machine: { cpu: 'test', cores: 2, arch: 'x64', system: 'Linux', node: 'v20' },
      results: [],
      comparisons: [],
      sideBySide: [{ ...result, pace: spread, cpuMs: [0.5, 1], cpu: spread }],
    });
    expect(table).toContain('| job | here | main | ratio | CPU, here | CPU, main | ratio |');
    expect(table).toContain('| job | 120/s | 100/s | 1.20 (1.10–1.30) | 0.50 ms | 1.00 ms | 1.20 (1.10–1.30) |');
  });
});

describe('CPU time', () => {
  it('is read from /proc, whatever the program is called', () => {
    const stat = '42 (a (strange) name) S 7 42 42 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 99 0 0';
    expect(parseStat(42, stat)).toEqual({ pid: 42, parent: 7, ticks: 100 });
  });

  it('of this process grows', () => {
    if (process.platform === 'linux') {
      expect(cpuSecondsOf(process.pid)).toBeGreaterThan(0);
    }
  });
});

describe('arguments', () => {
  it('are words of entries, and what to measure beside', () => {
    expect(readArguments(['--plain=a,b', 'GET /calls'])).toMatchObject({
      words: ['GET /calls'],
      other: { kind: 'plain', names: 'a,b' },
    });
    expect(readArguments(['--against=HEAD~3', '--rounds=9']).other).toEqual({ kind: 'commit', ref: 'HEAD~3' });
    expect(readArguments([])).toEqual({ words: [], rows: undefined, rounds: undefined, other: undefined });
  });

  it.each([['--plain=a', '--against=main'], ['--rows=12'], ['--rounds=0'], ['--fast']])('refuses %s', (...given) => {
    expect(() => readArguments(given)).toThrow(FailedRun);
  });
});
