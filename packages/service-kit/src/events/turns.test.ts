import { createTurns } from './turns';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** An item is a key with a letter; capitals are costly. */
function createStage(options: { workers: number; batchSize: number; mostWeight?: number }) {
  const batches: string[][] = [];
  const releases: (() => void)[] = [];
  const turns = createTurns<string>({
    ...options,
    keyOf: (item) => Number(item.slice(0, -1)),
    weightOf: (item) => (/[A-Z]/.test(item) ? 10 : 1),
    process: (batch) => {
      batches.push(batch);
      return new Promise((resolve) => releases.push(resolve));
    },
  });
  const push = (...items: string[]) => items.forEach((item) => turns.push(item));
  const release = async (nth = 0) => {
    releases.splice(nth, 1)[0]?.();
    await turn();
    await turn();
  };
  return { turns, push, batches, release };
}

describe('turns', () => {
  it('gather what comes together and what comes meanwhile', async () => {
    const { push, batches, release } = createStage({ workers: 1, batchSize: 3 });
    push('1a', '1b');
    await turn();
    push('1c', '1d', '1e', '1f');
    expect(batches).toEqual([['1a', '1b']]);
    await release();
    await release();
    expect(batches).toEqual([['1a', '1b'], ['1c', '1d', '1e'], ['1f']]);
  });

  it('let keys share the workers where there is more than a batch, and keep each of them in order', async () => {
    const { push, batches, release } = createStage({ workers: 2, batchSize: 4 });
    push('1a', '2a', '1b', '3a', '4a', '2b', '1c', '2c');
    await turn();
    expect(batches).toEqual([
      ['1a', '2a', '1b', '2b'],
      ['3a', '4a'],
    ]);
    await release(1);
    expect(batches.slice(2)).toEqual([]);
    push('4b');
    await turn();
    expect(batches.slice(2)).toEqual([['4b']]);
    await release(0);
    expect(batches.slice(3)).toEqual([]);
    await release(0);
    expect(batches.slice(3)).toEqual([['1c', '2c']]);
  });

  it('begin all that waits at once where it is more than a batch', async () => {
    const { push, batches } = createStage({ workers: 3, batchSize: 4 });
    push('1a', '2a', '3a', '4a', '5a');
    await turn();
    expect(batches).toEqual([
      ['1a', '2a', '3a'],
      ['4a', '5a'],
    ]);
  });

  it('share costly keys among the workers', async () => {
    const { push, batches } = createStage({ workers: 2, batchSize: 10, mostWeight: 15 });
    push('1A', '2A', '1B', '2B');
    await turn();
    expect(batches).toEqual([['1A'], ['2A']]);
  });

  it('begin nothing beside a batch that had room for more, until there is another batch or it takes long', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const { push, batches, release } = createStage({ workers: 3, batchSize: 3 });
      push('1a');
      await turn();
      push('2a', '3a');
      await turn();
      expect(batches).toEqual([['1a']]);
      push('4a');
      await turn();
      expect(batches).toEqual([['1a'], ['2a', '3a', '4a']]);
      push('5a', '1b');
      await turn();
      expect(batches).toHaveLength(2);
      jest.advanceTimersByTime(50);
      await turn();
      expect(batches.slice(2)).toEqual([['5a']]);
      await release(0);
      expect(batches.slice(3)).toEqual([]);
      await release(1);
      expect(batches.slice(3)).toEqual([['1b']]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('do not let a key with many items hold up the others', async () => {
    const { push, batches, release } = createStage({ workers: 1, batchSize: 4 });
    push('1a', '1b', '1c', '1d', '1e', '1f', '2a', '3a');
    await turn();
    await release();
    expect(batches).toEqual([
      ['1a', '2a', '3a', '1b'],
      ['1c', '1d', '1e', '1f'],
    ]);
  });

  it('bound what a batch costs, and leave a costly item to itself', async () => {
    const { push, batches, release } = createStage({ workers: 2, batchSize: 10, mostWeight: 3 });
    push('1A', '1B', '2a', '2b', '2c', '2d');
    await turn();
    expect(batches).toEqual([['1A'], ['2a', '2b', '2c']]);
    await release(1);
    expect(batches.slice(2)).toEqual([['2d']]);
    await release(1);
    await release(0);
    expect(batches.slice(3)).toEqual([['1B']]);
  });

  it('give back what is not begun and tell when the rest has ended', async () => {
    const { turns, push, batches, release } = createStage({ workers: 1, batchSize: 1 });
    push('1a', '1b', '2a');
    await turn();
    expect(turns.clear()).toEqual(['2a', '1b']);
    let hasEnded = false;
    const ending = turns.underway().then(() => (hasEnded = true));
    await turn();
    expect(hasEnded).toBe(false);
    await release();
    await ending;
    expect(batches).toEqual([['1a']]);
    push('1d');
    await turn();
    expect(batches).toEqual([['1a'], ['1d']]);
  });

  it('give back some of what is not begun, and go on with the rest', async () => {
    const { turns, push, batches, release } = createStage({ workers: 1, batchSize: 1 });
    push('1a', '1b', '2a', '2b', '1c');
    await turn();
    expect(turns.clear((item) => item.endsWith('b'))).toEqual(['2b', '1b']);
    let hasEnded = false;
    const ending = turns.underway().then(() => (hasEnded = true));
    push('3a');
    await release();
    await ending;
    expect(hasEnded).toBe(true);
    await release();
    await release();
    expect(batches).toEqual([['1a'], ['2a'], ['1c'], ['3a']]);
  });
});
