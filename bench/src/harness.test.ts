import { compare } from './comparison';
import { FailedRun, measure } from './harness';
import type { Entry } from './harness';
import { median, percentile, warmUp } from './load';
import { toMarkdown } from './report';
import { welch } from './statistics';

const plan = { rounds: 2, roundMs: 20, warmUpMs: 1 };
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

function entry(product: () => Promise<void>, onClose = () => {}): Entry {
  return {
    name: 'job',
    floorName: 'bare loop',
    concurrency: 2,
    prepare: async () => ({ floor: tick, product, close: async () => onClose() }),
  };
}

describe('the bench harness', () => {
  it('reports a ratio to the floor of the same run', async () => {
    const lines: string[] = [];
    const result = await measure(entry(tick), plan, (line) => lines.push(line));
    expect(result.ratio).toBeGreaterThan(0);
    expect(result.rounds).toBe(2);
    expect(lines).toHaveLength(2);
  });

  it('refuses a run with errors and still closes what it opened', async () => {
    let closed = false;
    const failing = entry(
      async () => {
        throw new Error('status 503');
      },
      () => {
        closed = true;
      },
    );
    await expect(measure(failing, plan, () => {})).rejects.toThrow(FailedRun);
    await expect(measure(failing, plan, () => {})).rejects.toThrow(/status 503/);
    expect(closed).toBe(true);
  });

  it('resets before every turn', async () => {
    let resets = 0;
    const { prepare, ...rest } = entry(tick);
    const reset = async () => void (resets += 1);
    await measure({ ...rest, prepare: async () => ({ ...(await prepare()), reset }) }, plan, () => {});
    expect(resets).toBe(2 + 2 * plan.rounds);
  });

  it('warms up for as long as it says, however short a turn is', async () => {
    const asked: number[] = [];
    const begun = performance.now();
    await warmUp(async (durationMs) => {
      asked.push(durationMs);
      await tick();
      return { count: 1 };
    }, 30);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(30);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked).toEqual([...asked].sort((a, b) => b - a));
  });

  it('does not repeat a warm-up in which there is nothing to do', async () => {
    const turn = jest.fn(async () => ({ count: 0 }));
    await warmUp(turn, 10_000);
    expect(turn).toHaveBeenCalledTimes(1);
  });

  it('takes medians and percentiles of small samples', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
  });

  it('prints a Markdown table', () => {
    const table = toMarkdown({
      takenAt: '2026-01-01T00:00:00.000Z',
      machine: { cpu: 'x', cores: 2, arch: 'arm64', system: 'Linux', node: 'v20' },
      results: [
        {
          name: 'job',
          floorName: 'hop',
          concurrency: 64,
          floorPerSecond: 1000,
          productPerSecond: 800,
          ratio: 0.8,
          target: 0.75,
          p50: 1,
          p99: 9.5,
          rounds: 5,
        },
      ],
      comparisons: [
        {
          name: 'login',
          sides: ['known', 'unknown'],
          medians: [40.25, 40],
          rounds: 200,
          t: 0.5,
          degrees: 398,
          indistinguishable: true,
        },
      ],
    });
    expect(table).toContain('| job | hop: 1000/s | 800/s | 0.80 | ≥ 0.75 | 1.0 ms | 9.5 ms |');
    expect(table).toContain(
      '| login | known: 40.25 ms, unknown: 40.00 ms | 0.25 ms | 0.50 (200 each) | indistinguishable |',
    );
  });

  it('computes Welch’s t', () => {
    const { t, degrees } = welch([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]);
    expect(t).toBeCloseTo(-3 / Math.sqrt(2.5), 10);
    expect(degrees).toBeCloseTo(6.25 / 1.0625, 10);
  });

  it('tells work of different length apart, in turns, without its warm-up', async () => {
    const seen: string[] = [];
    let time = 0;
    const work = (name: string, ms: number) => async () => {
      seen.push(name);
      time += seen.length <= 4 ? 1000 : ms + (seen.length % 3);
      await tick();
    };
    const { medians, indistinguishable, rounds } = await compare(
      {
        name: 'two jobs',
        sides: ['short', 'long'],
        prepare: async () => ({
          warmUpRounds: 2,
          rounds: 40,
          jobs: () => [work('short', 10), work('long', 12)],
          close: async () => {},
        }),
      },
      () => {},
      () => time,
    );
    expect(seen.slice(0, 4)).toEqual(['short', 'long', 'long', 'short']);
    expect(rounds).toBe(40);
    expect(medians).toEqual([11, 13]);
    expect(indistinguishable).toBe(false);
  });
});
