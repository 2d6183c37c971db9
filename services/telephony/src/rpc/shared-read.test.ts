import { currentScope } from '@sabia/service-kit/request-scope';
import { shareReads } from './shared-read';

function stage() {
  const reads: {
    question: string;
    signal: AbortSignal | undefined;
    end(answer: string): void;
    fail(error: Error): void;
  }[] = [];
  const share = shareReads<string>();
  /** Somebody who asks, and may go away. */
  const ask = (question: string) => {
    const gone = new AbortController();
    const answer = share({ requestId: question, signal: gone.signal }, question, () => {
      const signal = currentScope()?.signal;
      return new Promise((resolve, reject) => reads.push({ question, signal, end: resolve, fail: reject }));
    });
    return { answer, leave: () => gone.abort(new Error('gone')) };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { reads, ask, turn };
}

test('who asks the same in one turn shares one read, who asks something else has another', async () => {
  const { reads, ask, turn } = stage();
  const [one, two, other] = [ask('a'), ask('a'), ask('b')];
  await turn();
  expect(reads.map(({ question }) => question)).toEqual(['a', 'b']);
  reads[0]!.end('1');
  reads[1]!.end('2');
  await expect(Promise.all([one.answer, two.answer, other.answer])).resolves.toEqual(['1', '1', '2']);
});

test('who asks when the read has begun gets a newer one', async () => {
  const { reads, ask, turn } = stage();
  const early = ask('a');
  await turn();
  const late = ask('a');
  await turn();
  reads[1]!.end('new');
  reads[0]!.end('old');
  await expect(Promise.all([early.answer, late.answer])).resolves.toEqual(['old', 'new']);
});

test('a failure is told to all who asked, and is not remembered', async () => {
  const { reads, ask, turn } = stage();
  const [one, two] = [ask('a'), ask('a')];
  await turn();
  reads[0]!.fail(new Error('no'));
  await expect(one.answer).rejects.toThrow('no');
  await expect(two.answer).rejects.toThrow('no');
  const again = ask('a');
  await turn();
  reads[1]!.end('1');
  await expect(again.answer).resolves.toBe('1');
});

test('the read goes on for those who are left, and is cancelled when the last has gone', async () => {
  const { reads, ask, turn } = stage();
  const [one, two] = [ask('a'), ask('a')];
  await turn();
  one.leave();
  expect(reads[0]!.signal!.aborted).toBe(false);
  two.leave();
  expect(reads[0]!.signal!.reason).toEqual(new Error('gone'));
  reads[0]!.fail(new Error('cancelled'));
  await Promise.allSettled([one.answer, two.answer]);
});

test('who asks after the last one has gone, still in that turn, has a read that nobody has cancelled', async () => {
  const { reads, ask, turn } = stage();
  const [one, two] = [ask('a'), ask('a')];
  one.leave();
  two.leave();
  const late = ask('a');
  await turn();
  const read = reads.find(({ signal }) => signal?.aborted === false)!;
  for (const other of reads) if (other !== read) other.fail(new Error('cancelled'));
  read.end('1');
  await expect(late.answer).resolves.toBe('1');
  await Promise.allSettled([one.answer, two.answer]);
});

test('who has gone before asking reads nothing', async () => {
  const share = shareReads<string>();
  const read = jest.fn(() => Promise.resolve('1'));
  const scope = { requestId: 'x', signal: AbortSignal.abort(new Error('gone')) };
  await expect(share(scope, 'a', read)).rejects.toThrow('gone');
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).not.toHaveBeenCalled();
});
