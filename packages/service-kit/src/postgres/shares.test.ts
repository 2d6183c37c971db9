import { createShares } from './shares';
import type { Shares, SharesOptions } from './shares';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Reads that end when the test says so. */
function createDesk(options: SharesOptions) {
  const shares: Shares = createShares(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    ask(accountId: number, name: string, signal?: AbortSignal): Promise<string> {
      return shares.run(accountId, signal, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    },
    async end(name: string): Promise<void> {
      await settle();
      ends.get(name)!();
      await settle();
    },
  };
}

it('gives an account no more than its share, however much it asks for', async () => {
  const desk = createDesk({ places: 2, perAccount: 1 });
  const reads = ['a1', 'a2', 'a3'].map((name) => desk.ask(1, name));
  const other = desk.ask(2, 'b1');
  await settle();
  expect(desk.begun).toEqual(['a1', 'b1']);
  await desk.end('a1');
  expect(desk.begun).toEqual(['a1', 'b1', 'a2']);
  await desk.end('a2');
  await desk.end('a3');
  await desk.end('b1');
  await expect(Promise.all([...reads, other])).resolves.toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('lets accounts take turns', async () => {
  const desk = createDesk({ places: 1, perAccount: 1 });
  const asked = [
    [1, 'a1'],
    [1, 'a2'],
    [1, 'a3'],
    [2, 'b1'],
    [2, 'b2'],
  ] as const;
  const reads = asked.map(([accountId, name]) => desk.ask(accountId, name));
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) {
    await settle();
    expect(desk.begun.at(-1)).toBe(name);
    await desk.end(name);
  }
  await Promise.all(reads);
});

it('refuses what would wait behind too many of the same account, and nothing of another', async () => {
  const desk = createDesk({ places: 1, perAccount: 1, waitingPerAccount: 1 });
  const reads = [desk.ask(1, 'a1'), desk.ask(1, 'a2')];
  await expect(desk.ask(1, 'a3')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2 });
  reads.push(desk.ask(2, 'b1'));
  for (const name of ['a1', 'b1', 'a2']) {
    await desk.end(name);
  }
  await Promise.all(reads);
});

it('lets no account wait for ever', async () => {
  const desk = createDesk({ places: 1, perAccount: 1, patienceMs: 1 });
  const first = desk.ask(1, 'a1');
  await expect(desk.ask(2, 'b1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await desk.end('a1');
  await first;
});

it('takes a cancelled request out of the line', async () => {
  const desk = createDesk({ places: 1, perAccount: 1 });
  const gone = new AbortController();
  const reads = [desk.ask(1, 'a1'), desk.ask(1, 'a2', gone.signal), desk.ask(1, 'a3')];
  const refusal = expect(reads[1]).rejects.toThrow('gone');
  gone.abort(new Error('gone'));
  await refusal;
  await desk.end('a1');
  expect(desk.begun).toEqual(['a1', 'a3']);
  await desk.end('a3');
  await expect(desk.ask(1, 'a4', gone.signal)).rejects.toThrow('gone');
});

it('frees the place of work that failed', async () => {
  const shares = createShares({ places: 1, perAccount: 1 });
  await expect(shares.run(1, undefined, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(shares.run(1, undefined, () => Promise.resolve('yes'))).resolves.toBe('yes');
});
