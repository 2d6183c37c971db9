import { createConcurrencyLimit } from './concurrency-limit';

test('at most so many enter under one key, and the others follow in order of arrival', async () => {
  const enter = createConcurrencyLimit(2);
  const entered: string[] = [];
  const leave = await Promise.all([enter('a'), enter('a'), enter('b')]);
  const waiting = ['third', 'fourth'].map(async (name) => {
    const done = await enter('a');
    entered.push(name);
    return done;
  });
  await new Promise(setImmediate);
  expect(entered).toEqual([]);
  leave[2]();
  await new Promise(setImmediate);
  expect(entered).toEqual([]);
  leave[0]();
  const third = await waiting[0]!;
  expect(entered).toEqual(['third']);
  third();
  (await waiting[1]!)();
  leave[1]();
  expect(entered).toEqual(['third', 'fourth']);
});
