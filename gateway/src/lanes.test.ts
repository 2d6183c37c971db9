import { createLanes } from './lanes';

test('of each key no more at a time than there are places, in order', async () => {
  const enter = createLanes(2);
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
