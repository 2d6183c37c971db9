import type { LookupAddress } from 'node:dns';
import { createGuardedConnector } from './guarded-connector';
import type { Lookup } from './host-lookup';
import { createHostLookup } from './host-lookup';

const address: LookupAddress = { address: '198.51.100.7', family: 4 };
const failure = (code: string) => Object.assign(new Error(code), { code });
const never = () => new Promise<string[]>(() => undefined);
const refuse = (code: string) => () => Promise.reject<string[]>(failure(code));
const ask = (lookup: Lookup, host: string) =>
  new Promise<unknown>((resolve) => {
    lookup(host, { all: true }, (error, answer) => resolve(error?.code ?? answer));
  });

/** A system lookup that answers when the test says so. */
function heldLookup() {
  const asked: { host: string; answer: () => void }[] = [];
  const lookup: Lookup = (host, _options, callback) => {
    asked.push({ host, answer: () => callback(null, [address]) });
  };
  return { asked, lookup };
}

test('a hundred connections to one host look it up once, and one to another host does not wait for it', () => {
  const { asked, lookup } = heldLookup();
  const connect = createGuardedConnector({ allowPrivate: true, timeoutMs: 50, lookup });
  const open = (hostname: string) =>
    connect({ hostname, host: hostname, protocol: 'http:', port: '9' }, (_error, socket) => socket?.destroy());
  for (let count = 0; count < 100; count += 1) {
    open('slow.example.com');
  }
  open('good.example.com');
  expect(asked.map(({ host }) => host)).toEqual(['slow.example.com', 'good.example.com']);
});

test('lookups use no thread of the process; one that is never answered does not delay others', async () => {
  const system = heldLookup();
  const lookup = createHostLookup({
    resolve4: (host) => (host === 'dead.example.com' ? never() : Promise.resolve(['198.51.100.7'])),
    resolve6: (host) => (host === 'dead.example.com' ? never() : Promise.resolve(['2001:db8::7'])),
    system: system.lookup,
  });
  for (let count = 0; count < 64; count += 1) {
    void ask(lookup, 'dead.example.com');
  }
  expect(await ask(lookup, 'good.example.com')).toEqual([address, { address: '2001:db8::7', family: 6 }]);
  expect(system.asked).toHaveLength(0);
});

test('a name with addresses of one kind only', async () => {
  const { lookup: system } = heldLookup();
  const resolve4 = () => Promise.resolve(['198.51.100.7']);
  expect(await ask(createHostLookup({ resolve4, resolve6: refuse('ENODATA'), system }), 'a.example.com')).toEqual([
    address,
  ]);
});

test.each(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])(
  'after %s the system may know it, from its own files',
  async (code) => {
    const system: Lookup = (_host, _options, callback) => callback(null, [address]);
    const lookup = createHostLookup({ resolve4: refuse(code), resolve6: refuse(code), system });
    expect(await ask(lookup, 'crm.svc.cluster.local')).toEqual([address]);
  },
);

test.each(['ETIMEOUT', 'ESERVFAIL'])('after %s the system is not asked, which would wait even longer', async (code) => {
  const { asked, lookup: system } = heldLookup();
  const lookup = createHostLookup({ resolve4: refuse(code), resolve6: refuse('ENOTFOUND'), system });
  expect(await ask(lookup, 'dead.example.com')).toBe(code);
  expect(asked).toHaveLength(0);
});

test('the system is asked for two names at a time, so that threads are left for everything else', async () => {
  const { asked, lookup: system } = heldLookup();
  const lookup = createHostLookup({ resolve4: never, resolve6: never, system });
  const answers = ['a', 'b', 'c', 'localhost'].map((host) => ask(lookup, host));
  expect(asked.map(({ host }) => host)).toEqual(['a', 'b']);
  asked[0]!.answer();
  expect(await answers[0]).toEqual([address]);
  expect(asked.map(({ host }) => host)).toEqual(['a', 'b', 'c']);
});
