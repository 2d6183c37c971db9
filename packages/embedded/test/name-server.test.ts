import { promises as dns } from 'node:dns';
import { startNameServer, type NameServer } from '@sabia/embedded/discovery/name-server';

describe('the name server', () => {
  let server: NameServer;
  const known: Record<string, string[]> = { 'one.test': ['127.0.0.1'], 'empty.test': [] };
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });

  beforeAll(async () => {
    server = await startNameServer(0, (name) => known[name]);
    resolver.setServers([server.address]);
  });

  afterAll(() => server.close());

  it('answers with every address, and with another one as soon as there is one', async () => {
    await expect(resolver.resolve4('one.test')).resolves.toEqual(['127.0.0.1']);
    known['one.test']?.push('127.0.0.2');
    await expect(resolver.resolve4('ONE.test')).resolves.toEqual(['127.0.0.1', '127.0.0.2']);
    await expect(resolver.resolve4('one.test', { ttl: true })).resolves.toContainEqual({
      address: '127.0.0.2',
      ttl: 0,
    });
  });

  it('distinguishes a name without an address from a name that does not exist', async () => {
    await expect(resolver.resolve4('empty.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve6('one.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('nobody.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
