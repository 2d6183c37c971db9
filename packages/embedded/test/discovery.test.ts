import { promises as dns } from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiscovery, type Discovery } from '@sabia/embedded/discovery/discovery';
import { openPortBook } from '@sabia/embedded/process/port-book';

describe('how clients find replicas', () => {
  const home = mkdtempSync(join(tmpdir(), 'sabia-discovery-'));
  const ports = openPortBook(home);
  const opened: Discovery[] = [];

  afterAll(async () => {
    await Promise.all(opened.map((discovery) => discovery.close()));
    rmSync(home, { recursive: true });
  });

  async function open(options: Partial<Parameters<typeof openDiscovery>[0]>): Promise<Discovery> {
    const discovery = await openDiscovery({ ports, replicas: {}, readyHosts: () => [], ...options });
    opened.push(discovery);
    return discovery;
  }

  it('is a plain address when there is one of each', async () => {
    const discovery = await open({ replicas: { identity: 1 } });
    const { host, grpcPort } = await discovery.placeOf('identity', 1);
    expect(discovery.addressOf('identity')).toBe(`${host}:${grpcPort}`);
    expect(discovery.environment).toEqual({});
    await expect(discovery.placeOf('identity', 2)).rejects.toThrow('replicas can be added only');
  });

  it('is a name when there are more, which means those that are ready now', async () => {
    const ready = ['127.0.0.1'];
    const discovery = await open({
      replicas: { billing: 2 },
      hasFurtherHosts: true,
      readyHosts: (service) => (service === 'billing' ? ready : []),
    });
    const [first, third] = [await discovery.placeOf('billing', 1), await discovery.placeOf('billing', 3)];
    expect([first.host, third.host]).toEqual(['127.0.0.1', '127.0.0.3']);
    expect(third.grpcPort).toBe(first.grpcPort);

    const { host: server, pathname } = new URL(discovery.addressOf('billing').replace(/^dns:/, 'http:'));
    expect(pathname).toBe(`/billing.sabia.internal:${first.grpcPort}`);
    const resolver = new dns.Resolver();
    resolver.setServers([server]);
    await expect(resolver.resolve4('billing.sabia.internal')).resolves.toEqual(['127.0.0.1']);
    ready.push('127.0.0.3');
    await expect(resolver.resolve4('billing.sabia.internal')).resolves.toEqual(['127.0.0.1', '127.0.0.3']);
  });

  it('is a list of ports where the machine has no further loopback addresses', async () => {
    const discovery = await open({ replicas: { billing: 2 }, hasFurtherHosts: false });
    const [first, second] = [await discovery.placeOf('billing', 1), await discovery.placeOf('billing', 2)];
    expect(first.grpcPort).not.toBe(second.grpcPort);
    expect(discovery.addressOf('billing')).toBe(`ipv4:127.0.0.1:${first.grpcPort},127.0.0.1:${second.grpcPort}`);
    expect(discovery.addressOf('identity')).toMatch(/^127\.0\.0\.1:\d+$/);
  });
});
