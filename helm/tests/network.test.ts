import { isPublicAddress } from '../../services/webhook/src/domain/public-address';
import { createNetwork } from './network';
import type { Door, Place } from './network';
import { find, minimal, namespace, ofKind, overlay, render, valueSets, withPods } from './render';
import type { Values } from './render';
import type { KubeObject } from './kube-object';

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];
const pods = ['gateway', ...services, 'asterisk', 'kamailio', 'migrate', 'import-rates'];
/** With these values the demo has none of its own. */
const withRates = { rates: { configMap: 'sabia-rates' } };

const podOf = (objects: KubeObject[], component: string): Place => {
  const found = withPods(objects)
    .map(({ spec }) => spec.template.metadata.labels)
    .find((labels) => labels['app.kubernetes.io/component'] === component);
  if (!found) throw new Error(`there is no pod ${component}`);
  return { namespace, labels: found };
};

const elsewhere = (where: string, labels: Record<string, string> = {}): Place => ({ namespace: where, labels });

function town(values: Values) {
  const objects = render(values);
  const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
  const places: Record<string, Place> = {
    ...Object.fromEntries(pods.map((name) => [name, podOf(objects, name)])),
    'an ingress controller': elsewhere('ingress-nginx'),
    Prometheus: elsewhere('monitoring', { app: 'prometheus' }),
    'a foreign pod': elsewhere('default', { app: 'stranger' }),
    // The closest address that is not one of the cluster's.
    'a pod beside them': elsewhere(namespace, { 'app.kubernetes.io/name': 'stranger' }),
    'a phone': { ip: '203.0.113.77' },
    'a carrier': { ip: '192.0.2.9' },
  };
  const doors: Record<string, Door> = {
    ...Object.fromEntries(
      services.map((name) => [`${name} grpc`, { place: podOf(objects, name), port: 50051 }] as const),
    ),
    ...Object.fromEntries(
      ['gateway', ...services].map((name) => [`${name} metrics`, { place: podOf(objects, name), port: 9464 }] as const),
    ),
    'gateway http': { place: podOf(objects, 'gateway'), port: 8080 },
    'telephony capture': { place: podOf(objects, 'telephony'), port: 9060, protocol: 'UDP' },
    'asterisk ari': { place: podOf(objects, 'asterisk'), port: 8088 },
    'asterisk sip': { place: podOf(objects, 'asterisk'), port: 5080, protocol: 'UDP' },
    'asterisk sip over tcp': { place: podOf(objects, 'asterisk'), port: 5080 },
    'asterisk audio': { place: podOf(objects, 'asterisk'), port: 10_002, protocol: 'UDP' },
    'asterisk another port': { place: podOf(objects, 'asterisk'), port: 9_999, protocol: 'UDP' },
    'kamailio sip': { place: podOf(objects, 'kamailio'), port: 5060, protocol: 'UDP' },
    'kamailio sip over tcp': { place: podOf(objects, 'kamailio'), port: 5060 },
    'kamailio sip over tls': { place: podOf(objects, 'kamailio'), port: 5061 },
    'kamailio of web phones': { place: podOf(objects, 'kamailio'), port: 8060 },
    'kamailio of nodes': { place: podOf(objects, 'kamailio'), port: 5070 },
    'kamailio another port': { place: podOf(objects, 'kamailio'), port: 9_999, protocol: 'UDP' },
    dns: { place: elsewhere('kube-system', { 'k8s-app': 'kube-dns' }), port: 53, protocol: 'UDP' },
    'a pod of kube-system': { place: elsewhere('kube-system', { app: 'other' }), port: 443 },
    'a foreign pod': { place: elsewhere('default', { app: 'stranger' }), port: 443 },
    'a pod beside them': { place: elsewhere(namespace, { app: 'stranger' }), port: 50051 },
    postgres: { place: { ip: '10.20.1.5' }, port: 5432 },
    'another port of postgres': { place: { ip: '10.20.1.5' }, port: 22 },
    'another database': { place: { ip: '10.20.9.5' }, port: 5432 },
    nats: { place: elsewhere('nats', { app: 'nats' }), port: 4222 },
    redis: { place: { ip: '10.20.2.5' }, port: 6379 },
    smtp: { place: { ip: '10.20.3.5' }, port: 587 },
    otlp: { place: elsewhere('monitoring', { app: 'collector' }), port: 4318 },
    'the Internet': { place: { ip: '93.184.216.34' }, port: 443 },
    'the Internet, another port': { place: { ip: '93.184.216.34' }, port: 8443 },
    'the Internet over IPv6': { place: { ip: '2606:4700:4700::1111' }, port: 443 },
    'metadata of the cloud': { place: { ip: '169.254.169.254' }, port: 80 },
    'the API server': { place: { ip: '10.96.0.1' }, port: 443 },
    'a private web server': { place: { ip: '192.168.1.10' }, port: 443 },
    'a private web server over IPv6': { place: { ip: 'fd00::1' }, port: 443 },
    'a phone': { place: { ip: '203.0.113.77' }, port: 40_000, protocol: 'UDP' },
    'a carrier': { place: { ip: '192.0.2.9' }, port: 5060 },
  };
  return { places, doors, reaches };
}

/** Open to the world. */
const forPhones = ['kamailio sip', 'kamailio sip over tcp', 'kamailio sip over tls', 'asterisk audio'];

/** Who reaches what. Whatever is not written here is denied. */
const table: Record<string, string[]> = {
  gateway: [...services.map((name) => `${name} grpc`), 'kamailio of web phones', 'redis', 'nats', 'dns', 'otlp'],
  identity: ['postgres', 'nats', 'smtp', 'dns', 'otlp'],
  extensions: ['postgres', 'nats', 'dns', 'otlp'],
  telephony: [
    ...['extensions grpc', 'billing grpc', 'webhook grpc', 'asterisk ari'],
    ...['postgres', 'nats', 'dns', 'otlp'],
  ],
  billing: ['postgres', 'nats', 'the Internet', 'the Internet over IPv6', 'dns', 'otlp'],
  webhook: [
    ...['postgres', 'nats', 'dns', 'otlp'],
    ...['the Internet', 'the Internet, another port', 'the Internet over IPv6'],
  ],
  // Audio goes wherever a phone is, so also to another node, and to an edge, which takes it for SIP and drops it.
  asterisk: [
    ...['postgres', 'a phone', 'a carrier', 'dns', 'telephony capture', 'kamailio of nodes'],
    ...['asterisk audio', 'kamailio sip', 'kamailio sip over tcp', 'kamailio sip over tls'],
  ],
  // A phone may be anywhere, and so may a carrier.
  kamailio: [
    ...['postgres', 'a phone', 'a carrier', 'dns', 'asterisk sip', 'asterisk sip over tcp', 'asterisk audio'],
    ...['kamailio sip', 'kamailio sip over tcp', 'kamailio sip over tls', 'kamailio of nodes'],
  ],
  migrate: ['postgres', 'dns'],
  'import-rates': ['postgres', 'dns'],
  'an ingress controller': ['gateway http', ...forPhones],
  Prometheus: [...['gateway', ...services].map((name) => `${name} metrics`), ...forPhones],
  'a foreign pod': forPhones,
  'a pod beside them': forPhones,
  'a phone': forPhones,
  'a carrier': [...forPhones, 'asterisk sip'],
};

const production = valueSets.production ?? {};

describe('in production', () => {
  const { places, doors, reaches } = town(production);
  const isOurs = (name: string) => pods.includes(name);
  // Traffic of foreign pods outside of this release is not ours to restrict.
  const ownDoors = Object.keys(doors).filter(
    (name) => 'labels' in doors[name]!.place && isOurs(name.split(' ')[0] ?? ''),
  );

  it('the table speaks of every place', () => {
    expect(Object.keys(table).sort()).toEqual(Object.keys(places).sort());
    expect(
      Object.values(table)
        .flat()
        .filter((name) => !(name in doors)),
    ).toEqual([]);
  });

  describe.each(Object.keys(table))('%s', (from) => {
    const asked = isOurs(from) ? Object.keys(doors) : ownDoors;

    it.each(asked.filter((to) => table[from]?.includes(to)))('reaches %s', (to) => {
      expect(reaches(places[from]!, doors[to]!)).toBe(true);
    });

    it.each(asked.filter((to) => !table[from]?.includes(to)))('does not reach %s', (to) => {
      expect(reaches(places[from]!, doors[to]!)).toBe(false);
    });
  });
});

describe('the public Internet', () => {
  const { places, reaches } = town(production);
  const reachesAddress = (ip: string) => reaches(places.webhook!, { place: { ip }, port: 443 });

  it.each([
    ...['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '223.255.255.254'],
    ...['0.0.0.1', '10.0.0.1', '10.255.255.255', '100.64.0.1', '127.0.0.1', '168.63.129.16', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1'],
    ...['192.168.0.1', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '2606:4700:4700::1111', '2800:3f0:4001::1', '2001:db8::1', '2001::1'],
    ...['3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', '::1', '100::1'],
  ])('%s is as public to the cluster as to the service', (ip) => {
    expect(reachesAddress(ip)).toBe(isPublicAddress(ip));
  });
});

describe('elsewhere', () => {
  it('the demo keeps its servers to itself', () => {
    const objects = render(overlay(valueSets.demo ?? {}, withRates));
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const expected: Record<string, [number, string[]]> = {
      postgres: [5432, [...services, 'asterisk', 'kamailio', 'migrate', 'import-rates']],
      nats: [4222, ['gateway', ...services]],
      // In the demo a receiver of webhooks may be anywhere, so nothing in the cluster is closed to webhook.
      redis: [6379, ['gateway', 'webhook']],
      smtp: [1025, ['identity', 'webhook']],
    };
    for (const [name, [port, guests]] of Object.entries(expected)) {
      const door = { place: podOf(objects, name), port };
      expect([name, ...pods.filter((pod) => reaches(podOf(objects, pod), door))]).toEqual([
        name,
        ...pods.filter((pod) => guests.includes(pod)),
      ]);
      expect(reaches(elsewhere('default'), door)).toBe(false);
      expect(reaches(podOf(objects, name), { place: { ip: '93.184.216.34' }, port: 443 })).toBe(false);
    }
  });

  it('the demo makes its account and telephones, and does nothing else', () => {
    const objects = render(valueSets.demo ?? {});
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const demo = podOf(objects, 'demo');
    const doors: [component: string, port: number, protocol: 'TCP' | 'UDP'][] = [
      ['gateway', 8080, 'TCP'],
      ['identity', 50051, 'TCP'],
      ['billing', 50051, 'TCP'],
      ['smtp', 8025, 'TCP'],
      ['kamailio', 5060, 'UDP'],
      ['asterisk', 20_002, 'UDP'],
      ['telephony', 50051, 'TCP'],
      ['postgres', 5432, 'TCP'],
      ['asterisk', 8088, 'TCP'],
      ['asterisk', 5080, 'TCP'],
      ['kamailio', 5070, 'TCP'],
    ];
    const open = doors.filter(([name, port, protocol]) =>
      reaches(demo, { place: podOf(objects, name), port, protocol }),
    );
    expect(open).toEqual(doors.slice(0, 6));
    const ring = { place: demo, port: 5060, protocol: 'UDP' } as const;
    expect(pods.filter((name) => name !== 'import-rates' && reaches(podOf(objects, name), ring))).toEqual([
      'asterisk',
      'kamailio',
    ]);
  });

  it('nodes and edges on the networks of their machines are reached there', () => {
    const objects = render(valueSets['edge-host-network'] ?? {});
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const onMachine = (port: number) => ({ place: { ip: '10.20.7.7' }, port });
    expect(reaches(podOf(objects, 'telephony'), onMachine(8088))).toBe(true);
    expect(reaches(podOf(objects, 'telephony'), onMachine(8060))).toBe(false);
    expect(reaches(podOf(objects, 'gateway'), onMachine(8060))).toBe(true);
    expect(reaches(podOf(objects, 'gateway'), onMachine(8088))).toBe(false);
    expect(reaches(podOf(objects, 'identity'), onMachine(8088))).toBe(false);
    const capture = { place: podOf(objects, 'telephony'), port: 9060, protocol: 'UDP' } as const;
    expect(reaches({ ip: '10.20.7.7' }, capture)).toBe(true);
    expect(reaches({ ip: '10.21.7.7' }, capture)).toBe(false);
  });

  it('an edge on its machine and a node in a pod reach each other, and no other machine reaches the node', () => {
    const values = { kamailio: { hostNetwork: true }, machineNetworks: ['10.20.0.0/16'] };
    const objects = render(minimal(values));
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const sip = { place: podOf(objects, 'asterisk'), port: 5080 };
    expect(reaches({ ip: '10.20.7.7' }, sip)).toBe(true);
    expect(reaches({ ip: '10.21.7.7' }, sip)).toBe(false);
    expect(reaches(podOf(objects, 'asterisk'), { place: { ip: '10.20.7.7' }, port: 5070 })).toBe(true);
  });

  it('recordings in S3 are reached by telephony and the gateway', () => {
    const values = overlay(valueSets['edge-full'] ?? {}, {
      networkPolicy: { destinations: { s3: { to: [{ ipBlock: { cidr: '52.95.0.0/16' } }] } } },
    });
    const objects = render(values);
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const s3 = { place: { ip: '52.95.1.1' }, port: 443 };
    expect(pods.filter((pod) => reaches(podOf(objects, pod), s3))).toEqual([
      'gateway',
      'telephony',
      'billing',
      'webhook',
    ]);
  });

  it('without names, every pod reaches the gateway and none its metrics', () => {
    const objects = render(minimal({ networkPolicy: { metricsFrom: [] } }));
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const gateway = podOf(objects, 'gateway');
    for (const from of [elsewhere('default'), { ip: '8.8.8.8' }]) {
      expect(reaches(from, { place: gateway, port: 8080 })).toBe(true);
      expect(reaches(from, { place: gateway, port: 9464 })).toBe(false);
    }
  });

  it('a service without callers lets no pod in', () => {
    const objects = render(minimal({ ...withRates, gateway: { calls: [] } }));
    const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
    const identity = { place: podOf(objects, 'identity'), port: 50051 };
    expect(pods.filter((pod) => reaches(podOf(objects, pod), identity))).toEqual([]);
    expect(find(objects, 'NetworkPolicy', 'identity').spec.ingress).toHaveLength(1);
  });
});
