import { createSingleFlight } from './single-flight';

test('concurrent callers of one key share one piece of work, a later caller begins a new one', async () => {
  const flight = createSingleFlight<string, number>();
  let begun = 0;
  const work = async () => (begun += 1);
  expect(await Promise.all([flight.run('a', work), flight.run('a', work), flight.run('b', work)])).toEqual([1, 1, 2]);
  expect(await flight.run('a', work)).toBe(3);
});

test('a failure is shared and not kept', async () => {
  const flight = createSingleFlight<string, string>();
  const failing = () => Promise.reject(new Error('away'));
  const outcomes = await Promise.allSettled([flight.run('a', failing), flight.run('a', async () => 'unused')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flight.run('a', async () => 'fine')).toBe('fine');
});
