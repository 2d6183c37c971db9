import { createLanes } from './lanes';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function createStage(options: { count: number; batchSize: number }) {
  const batches: number[][] = [];
  const releases: (() => void)[] = [];
  const lanes = createLanes<number>({
    ...options,
    keyOf: (item) => item,
    process: (batch) => {
      batches.push(batch);
      return new Promise((resolve) => releases.push(resolve));
    },
  });
  return { lanes, batches, release: () => releases.shift()?.() };
}

describe('lanes', () => {
  it('gather what comes together and what comes meanwhile', async () => {
    const { lanes, batches, release } = createStage({ count: 1, batchSize: 3 });
    [1, 2].forEach((item) => lanes.push(item));
    await turn();
    [3, 4, 5, 6].forEach((item) => lanes.push(item));
    expect(batches).toEqual([[1, 2]]);
    release();
    await turn();
    release();
    await turn();
    expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
  });

  it('keep one key in one lane and work on several lanes at once', async () => {
    const { lanes, batches } = createStage({ count: 2, batchSize: 10 });
    [2, 4, 1, 6, 3, -1].forEach((item) => lanes.push(item));
    await turn();
    expect(batches).toEqual([
      [2, 4, 6],
      [1, 3, -1],
    ]);
  });

  it('give back what is not begun and tell when nothing is going on', async () => {
    const { lanes, batches, release } = createStage({ count: 1, batchSize: 1 });
    [1, 2, 3].forEach((item) => lanes.push(item));
    await turn();
    expect(lanes.clear()).toEqual([2, 3]);
    let idle = false;
    const becomingIdle = lanes.idle().then(() => (idle = true));
    await turn();
    expect(idle).toBe(false);
    release();
    await becomingIdle;
    expect(batches).toEqual([[1]]);
    lanes.push(4);
    await turn();
    expect(batches).toEqual([[1], [4]]);
  });
});
