import { loadConfig as gateway } from '../../gateway/src/config';
import { loadConfig as billing } from '../../services/billing/src/config';
import { loadConfig as extensions } from '../../services/extensions/src/config';
import { loadConfig as identity } from '../../services/identity/src/config';
import { loadConfig as telephony } from '../../services/telephony/src/config';
import { loadConfig as webhook } from '../../services/webhook/src/config';
import { environmentOf, surroundings } from './environment';
import { find, minimal, render, valueSets } from './render';
import type { Values } from './render';

const loaders: Record<string, (env: NodeJS.ProcessEnv) => unknown> = {
  ...{ identity, extensions, telephony, billing, webhook, gateway },
};

const environment = (values: Values, component: string) => {
  const objects = render(values);
  return environmentOf(find(objects, 'Deployment', component), objects, surroundings);
};

/** The variables that a process reads, whether they are set or not. */
function variablesOf(load: (env: NodeJS.ProcessEnv) => unknown, env: NodeJS.ProcessEnv): Set<string> {
  const read = new Set<string>();
  load(
    new Proxy(env, {
      get(target, name) {
        read.add(String(name));
        return target[String(name)];
      },
    }),
  );
  return read;
}

describe.each(Object.keys(valueSets))('with the values %s', (set) => {
  const objects = render(valueSets[set] ?? {});

  it.each(Object.keys(loaders))('%s takes the environment that the chart gives it', (component) => {
    const env = environmentOf(find(objects, 'Deployment', component), objects, surroundings);
    expect(() => loaders[component]?.(env)).not.toThrow();
  });

  it.each(Object.keys(loaders).filter((component) => component !== 'gateway'))(
    '%s migrates with the environment that it serves with',
    (component) => {
      const job = objects.find(
        ({ kind, metadata }) => kind === 'Job' && metadata.name.includes(`migrate-${component}`),
      );
      expect(job?.spec.template.spec.containers[0].args?.slice(0, 2)).toEqual(['migrate', '--wait']);
      expect(job && environmentOf(job, objects, surroundings)).toEqual(
        environmentOf(find(objects, 'Deployment', component), objects, surroundings),
      );
    },
  );
});

describe.each(Object.keys(loaders))('%s', (component) => {
  const load = loaders[component] ?? (() => undefined);

  it('reads every variable that the chart sets', () => {
    for (const values of Object.values(valueSets)) {
      const env = environment(values, component);
      const read = variablesOf(load, env);
      // Optional settings of our own, or variables that Node itself reads.
      const ofAll = ['NODE_ENV', 'PUBLIC_URL', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'EVENT_STREAM_REPLICAS'];
      const unread = Object.keys(env).filter((name) => !read.has(name) && !ofAll.includes(name));
      expect(unread).toEqual([]);
    }
  });

  it('is given the address of every service that it calls, and of no other', () => {
    const env = environment(minimal(), component);
    const isAddress = (name: string) => /^[A-Z]+_ADDRESS$/.test(name);
    const wanted = [...variablesOf(load, env)].filter(isAddress).sort();
    expect(Object.keys(env).filter(isAddress).sort()).toEqual(wanted);
    for (const name of wanted) {
      expect(env[name]).toBe(`dns:///sabia-${name.replace('_ADDRESS', '').toLowerCase()}:50051`);
    }
  });
});

test('what env says wins over what the chart derives', () => {
  const env = environment(
    minimal({ services: { identity: { env: { LOG_LEVEL: 'error', PUBLIC_URL: 'https://x' } } } }),
    'identity',
  );
  expect(env).toMatchObject({ LOG_LEVEL: 'error', PUBLIC_URL: 'https://x' });
});

test('telephony finds the nodes and the gateway the edges by name, or calls are simulated', () => {
  expect(telephony(environment(minimal({ asterisk: { capacity: 40 } }), 'telephony'))).toMatchObject({
    asterisk: {
      nodes: {
        dnsName: '_ari._tcp.sabia-asterisk.voice.svc.cluster.local',
        sipPort: 5080,
        capacity: 40,
      },
      password: 'secret',
    },
    trunks: [{ name: 'carrier' }],
  });
  expect(gateway(environment(minimal(), 'gateway'))).toMatchObject({ sipWsUrls: ['ws://sabia-kamailio:8060/'] });

  const without = minimal({ asterisk: { enabled: false } });
  expect(telephony(environment(without, 'telephony')).asterisk).toBeUndefined();
  expect(gateway(environment(without, 'gateway')).sipWsUrls).toEqual([]);
});

test('recordings are kept on a volume or in S3', () => {
  const onVolume = minimal();
  expect(telephony(environment(onVolume, 'telephony'))).toMatchObject({
    recordingsFolder: '/recordings',
    recordingsS3: undefined,
  });
  expect(gateway(environment(onVolume, 'gateway')).recordingsPath).toBe('/recordings');
  const inS3 = valueSets['edge-full'] ?? {};
  expect(telephony(environment(inS3, 'telephony')).recordingsS3).toEqual({
    endpoint: 'https://s3.sa-east-1.amazonaws.com',
    region: 'sa-east-1',
    bucket: 'recordings',
    prefix: 'sabia/',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
  });
});

test('desk phones are told where to register', () => {
  const sipAddresses = ['sip:sip.example.com:5060;transport=udp', 'sip:[2001:db8::1]:5061;transport=tls'];
  expect(extensions(environment(minimal({ sipAddresses }), 'extensions')).sipServers).toEqual([
    { host: 'sip.example.com', port: 5060, transport: 'udp' },
    { host: '[2001:db8::1]', port: 5061, transport: 'tls' },
  ]);
});

test('web phones are told of the STUN and TURN servers, whose secret is a secret', () => {
  const turn = { urls: ['turn:turn.example.com?transport=tcp', 'turns:turn.example.com'] };
  const values = minimal({ iceServers: [turn], secrets: { values: { 'turn-secret': 'a secret of TURN' } } });
  const env = environment(values, 'extensions');
  expect(extensions(env).ice).toMatchObject({ servers: [turn], turnSecret: 'a secret of TURN' });
});
