import { createSipEdges } from './sip-edges';

test('edges take turns, and one that failed comes last for a while', async () => {
  let time = 0;
  const [one, two] = ['ws://192.0.2.1:8060/', 'ws://192.0.2.2:8060/'];
  const edges = createSipEdges([one, two], () => time);
  const first = await edges.candidates();
  const second = await edges.candidates();
  expect([...first].sort()).toEqual([one, two]);
  expect(second).toEqual([...first].reverse());
  edges.failed(one);
  for (let nth = 0; nth < 3; nth++) expect(await edges.candidates()).toEqual([two, one]);
  time = 5_000;
  const firsts = new Set([(await edges.candidates())[0], (await edges.candidates())[0]]);
  expect(firsts).toEqual(new Set([one, two]));
});

test('a name stands for all its addresses; one that nobody knows, for none', async () => {
  const found = await createSipEdges(['ws://localhost:8060/', 'ws://unknown.invalid:8060/']).candidates();
  expect(found).toContain('ws://127.0.0.1:8060/');
  expect(found.join()).not.toContain('invalid');
});
