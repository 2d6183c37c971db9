import { createLogger } from '@sabia/service-kit/logging';
import type { Trunk } from '../../domain/trunk';
import type { TrunkServer } from '../../storage/edges';
import { createCarrierServers } from './carrier-servers';

const log = createLogger({ name: 'test', level: 'silent' });

async function noted(trunks: Trunk[]): Promise<TrunkServer[]> {
  let servers: TrunkServer[] = [];
  await createCarrierServers({
    trunks,
    log,
    note: (found) => Promise.resolve(void (servers = found)),
    findAddresses: (host) =>
      host.endsWith('.example') ? Promise.resolve(['192.0.2.1', '192.0.2.2']) : Promise.reject(new Error('ENOTFOUND')),
    findServices: (name) =>
      name === '_sip._udp.service.example'
        ? Promise.resolve([
            { name: '192.0.2.9', port: 5090, priority: 2 },
            { name: '192.0.2.8', port: 5080, priority: 1 },
          ])
        : Promise.reject(new Error('ENODATA')),
  })();
  return servers;
}

const trunk = (fields: Partial<Trunk>): Trunk => ({ name: 'main', format: 'e164', ...fields });

test.each<[string, Partial<Trunk>, string[]]>([
  ['an address', { server: '192.0.2.7' }, ['sip:192.0.2.7:5060']],
  ['an address and a port', { server: '192.0.2.7:5070' }, ['sip:192.0.2.7:5070']],
  [
    'a name, over TCP',
    { server: 'a.example:5070', transport: 'tcp' },
    ['sip:192.0.2.1:5070;transport=tcp', 'sip:192.0.2.2:5070;transport=tcp'],
  ],
  ['a name without a port', { server: 'a.example' }, ['sip:192.0.2.1:5060', 'sip:192.0.2.2:5060']],
  ['a service', { server: 'service.example' }, ['sip:192.0.2.8:5080', 'sip:192.0.2.9:5090']],
])('edges are told where %s is', async (_what, fields, uris) => {
  expect(await noted([trunk(fields)])).toEqual([{ trunk: 'main', uris }]);
});

test('they are told nothing of a name that is not found, of a trunk of the switch’s own files, or of one that nodes ask themselves', async () => {
  const known = trunk({ name: 'known', server: '192.0.2.7' });
  const unknown = trunk({ name: 'unknown', server: 'nowhere.invalid' });
  const direct = trunk({ name: 'direct', server: '192.0.2.7', direct: true });
  expect(await noted([unknown, trunk({}), direct, known])).toEqual([{ trunk: 'known', uris: ['sip:192.0.2.7:5060'] }]);
});
