import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@sabia/embedded/servers';
import type { Servers } from '@sabia/embedded/servers';
import { eventually } from '@sabia/testkit/eventually';
import { Client } from 'pg';
import { searchPath } from './config';
import { environmentOf, surroundings } from './environment';
import type { KubeObject } from './kube-object';
import { createAuthority, switchTlsOn } from './private-authority';
import { find, minimal, ofKind, overlay, render, root, valueSets, withPods } from './render';
import type { Values } from './render';

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];
const trusting = { certificateAuthorities: { configMap: 'authorities', key: 'bundle.pem' } };

describe('a PostgreSQL whose certificate is of a private authority', () => {
  const home = mkdtempSync(join(tmpdir(), 'chart-trust-'));
  let servers: Servers;
  let bundle: string;

  /** As the Jobs of the demo run it, but for what is mounted and where. */
  function runJob(name: string, folder: string, values: Values) {
    const urls = Object.fromEntries(services.map((each) => [`${each}-database-url`, urlOf(`sabia_${each}`, 'demo')]));
    const secrets = { values: { ...urls, 'admin-database-url': urlOf('postgres') } };
    const objects = render(overlay(overlay(valueSets.demo ?? {}, { migrations: { waitSeconds: 0 }, secrets }), values));
    const job = ofKind(objects, 'Job').find(({ metadata }) => metadata.name.includes(`-${name}-`));
    if (!job) throw new Error(`there is no Job ${name}`);
    const [container] = job.spec.template.spec.containers;
    const inHere = (text: string) =>
      text
        .replace('/bootstrap/', join(root, 'helm/sabia/files/'))
        .replace('/rates/', `${home}/rates/`)
        .replace('/certificates/ca.crt', bundle);
    const environment = environmentOf(job, objects, surroundings);
    const given = Object.entries(environment).map(([variable, value]) => [variable, inHere(value)]);
    const [, ...command] = container.command ?? ['node', 'dist/main.js'];
    return spawnSync(process.execPath, [...command, ...(container.args ?? [])].map(inHere), {
      cwd: join(root, 'services', folder),
      env: { PATH: searchPath(), ...(Object.fromEntries(given) as Record<string, string>) },
      encoding: 'utf8',
    });
  }

  const urlOf = (user: string, password?: string) => {
    const url = Object.assign(new URL(servers.postgres.url), { hostname: 'localhost', search: '?sslmode=require' });
    if (password !== undefined) Object.assign(url, { username: user, password, pathname: '/sabia' });
    return url.href;
  };

  beforeAll(async () => {
    servers = await startServers({ home, cache: join(root, '.sabia/cache'), only: ['postgres'], durable: false });
    const authority = await createAuthority(home);
    bundle = authority.file;
    await switchTlsOn(servers.postgres.url, authority.server);
    await eventually(async () => {
      const client = new Client({ connectionString: servers.postgres.url, ssl: { rejectUnauthorized: false } });
      await client.connect().finally(() => client.end());
      return true;
    });
    mkdirSync(join(home, 'rates'));
    writeFileSync(join(home, 'rates/rates.csv'), 'prefix,minute_price\n55,0.30\n5511,0.12\n');
  });

  afterAll(async () => {
    await servers.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('is refused by who does not know the authority', () => {
    const { status, stderr } = runJob('bootstrap', 'identity', {});
    expect(status).toBe(1);
    expect(stderr).toMatch(/self-signed certificate in certificate chain|unable to verify/);
  });

  it('is bootstrapped, migrated and given rates when the bundle is mounted', async () => {
    const rates = { rates: { configMap: 'sabia-rates' } };
    for (const [name, folder] of [
      ['bootstrap', 'identity'],
      ['migrate-billing', 'billing'],
      ['import-rates', 'billing'],
    ] as const) {
      const { status, stdout, stderr } = runJob(name, folder, { ...trusting, ...rates });
      expect([name, status, status === 0 ? '' : stdout + stderr]).toEqual([name, 0, '']);
    }
    const client = new Client({ connectionString: servers.postgres.url.replace(/\/postgres$/, '/sabia') });
    await client.connect();
    const { rows } = await client.query('SELECT prefix FROM billing.rates ORDER BY prefix');
    await client.end();
    expect(rows).toEqual([{ prefix: '55' }, { prefix: '5511' }]);
  });
});

describe('the bundle', () => {
  const mounts = ({ spec }: KubeObject) => {
    const { containers, initContainers = [] } = spec.template.spec;
    return [...containers, ...initContainers].every(({ volumeMounts = [] }) =>
      volumeMounts.some(({ mountPath }) => mountPath === '/certificates'),
    );
  };

  it.each(['minimal', 'production', 'edge-full'])(
    'is in every pod that reaches a server, with the values %s',
    (set) => {
      const objects = render(overlay(valueSets[set] ?? {}, set === 'minimal' ? trusting : {}));
      expect(withPods(objects).filter((pod) => !mounts(pod))).toEqual([]);
      for (const pod of withPods(objects)) {
        const environment = environmentOf(pod, objects, surroundings);
        const variable = pod.kind === 'StatefulSet' ? 'PGSSLROOTCERT' : 'NODE_EXTRA_CA_CERTS';
        expect([pod.metadata.name, environment[variable]]).toEqual([pod.metadata.name, '/certificates/ca.crt']);
      }
    },
  );

  it('is a volume of every pod that mounts it, those of the demo included', () => {
    for (const { spec } of withPods(render(overlay(valueSets.demo ?? {}, trusting)))) {
      const { containers, initContainers = [], volumes = [] } = spec.template.spec;
      const mounted = [...containers, ...initContainers].flatMap(({ volumeMounts = [] }) => volumeMounts);
      const isMounted = mounted.some(({ name }) => name === 'certificates');
      expect(volumes.some(({ name }) => name === 'certificates')).toBe(isMounted);
    }
  });

  it('comes from a ConfigMap or a Secret, by the key that is named', () => {
    const volumeOf = (values: Values) =>
      find(render(values), 'Deployment', 'gateway').spec.template.spec.volumes?.find(
        ({ name }) => name === 'certificates',
      );
    const items = [{ key: 'bundle.pem', path: 'ca.crt' }];
    expect(volumeOf(minimal(trusting))).toEqual({ name: 'certificates', configMap: { name: 'authorities', items } });
    expect(volumeOf(valueSets['edge-full'] ?? {})).toEqual({
      name: 'certificates',
      secret: { secretName: 'authorities', items },
    });
    expect(volumeOf(minimal())).toBeUndefined();
  });
});
