import { QueryClient } from '@tanstack/react-query';
import { createRefresher, staleBy } from './refresh';

const at = '2026-03-01T12:00:00.000Z';

test('an event makes stale what it changed, and nothing else', () => {
  expect(staleBy({ type: 'call.ringing', at, callId: 'c1' })).toEqual([
    ['calls', 'list'],
    ['calls', 'live'],
    ['calls', 'one', 'c1'],
  ]);
  expect(staleBy({ type: 'charge.received', at, chargeId: 1 })).toEqual([['credit']]);
  expect(staleBy({ type: 'something.new', at })).toEqual([]);
});

test('what is asked for is asked for again only after its answer, and then without another event', async () => {
  jest.useFakeTimers();
  const queries = new QueryClient();
  const answers: (() => void)[] = [];
  const asked = jest
    .spyOn(queries, 'invalidateQueries')
    .mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  const refresher = createRefresher(queries);
  refresher.notice({ type: 'balance.changed', at });
  refresher.notice({ type: 'balance.changed', at });
  await jest.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  answers[0]!();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveBeenCalledTimes(2);
  refresher.stop();
  queries.clear();
  jest.useRealTimers();
});

test('the first event is noticed at once, the following ones once a second', async () => {
  jest.useFakeTimers();
  const queries = new QueryClient();
  const asked = jest.spyOn(queries, 'invalidateQueries').mockResolvedValue();
  const refresher = createRefresher(queries);
  for (let count = 0; count < 50; count++) refresher.notice({ type: 'balance.changed', at });
  expect(asked).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveBeenCalledTimes(2);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledTimes(2);
  refresher.stop();
  queries.clear();
  jest.useRealTimers();
});

test('a phone that registers is asked for once more, as the first answer may be older than that', async () => {
  jest.useFakeTimers();
  const queries = new QueryClient();
  const asked = jest.spyOn(queries, 'invalidateQueries').mockResolvedValue();
  const refresher = createRefresher(queries);
  refresher.notice({ type: 'extension.registered', at });
  expect(asked).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(3_000);
  expect(asked).toHaveBeenCalledTimes(2);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveBeenCalledTimes(2);
  refresher.notice({ type: 'extension.unregistered', at });
  refresher.stop();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveBeenCalledTimes(3);
  queries.clear();
  jest.useRealTimers();
});
