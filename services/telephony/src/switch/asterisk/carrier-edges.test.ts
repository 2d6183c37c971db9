import { createLogger } from '@sabia/service-kit/logging';
import type { Trunk } from '../../domain/trunk';
import { createCarrierEdges } from './carrier-edges';

const log = createLogger({ name: 'test', level: 'silent' });
const main: Trunk = { name: 'main', format: 'e164', server: '192.0.2.7' };
const edge = (name: string, isFresh = true) => ({ name, host: `192.0.2.${name}`, port: 5070, isFresh });

test('an edge that has missed a round is taken only where there is no other', async () => {
  let edges = [edge('1', false), edge('2')];
  let at = 0;
  const choose = createCarrierEdges({ read: async () => ({ edges, trunks: ['main'] }), log, now: () => at });
  expect(await choose(main)).toEqual({ edge: '2', proxy: 'sip:192.0.2.2:5070;lr;trunk=main' });
  edges = [edge('1', false)];
  expect((await choose(main))?.edge).toBe('2');
  // What is older than a moment is read again.
  at = 1_000;
  expect((await choose(main))?.edge).toBe('1');
});

test('over TCP where the carrier is called over TCP', async () => {
  const choose = createCarrierEdges({
    read: async () => ({ edges: [edge('1')], trunks: ['main'] }),
    log,
    now: () => 0,
  });
  expect((await choose({ ...main, transport: 'tcp' }))?.proxy).toBe('sip:192.0.2.1:5070;transport=tcp;lr;trunk=main');
});

test.each<[string, Trunk, { edges: ReturnType<typeof edge>[]; trunks: string[] } | Error]>([
  ['no edge is there', main, { edges: [], trunks: ['main'] }],
  ['the edges do not know the carrier', main, { edges: [edge('1')], trunks: [] }],
  ['the operator wants it so', { ...main, direct: true }, { edges: [edge('1')], trunks: ['main'] }],
  [
    'only the files of the switch know the carrier',
    { name: 'main', format: 'e164' },
    { edges: [edge('1')], trunks: ['main'] },
  ],
  ['PostgreSQL is away', main, new Error('away')],
])('the node asks the carrier itself when %s', async (_when, trunk, known) => {
  const read = () => (known instanceof Error ? Promise.reject(known) : Promise.resolve(known));
  expect(await createCarrierEdges({ read, log, now: () => 0 })(trunk)).toBeUndefined();
});
