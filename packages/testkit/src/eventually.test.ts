import { eventually } from './eventually';

describe('eventually', () => {
  it('returns the first answer that is neither undefined nor false', async () => {
    const answers = [undefined, false as const, 0];
    await expect(eventually(() => answers.shift(), { intervalMs: 1 })).resolves.toBe(0);
  });

  it('ignores errors until the time is over and then throws the last one', async () => {
    let calls = 0;
    const probe = () => {
      calls += 1;
      throw new Error(`failure ${calls}`);
    };
    await expect(eventually(probe, { timeoutMs: 500, intervalMs: 1 })).rejects.toThrow(
      /not within 500 ms: failure \d+/,
    );
    expect(calls).toBeGreaterThan(1);
  });
});
