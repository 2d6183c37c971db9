import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchPath } from './config';
import { environmentOf, imageEnvironment, surroundings } from './environment';
import { find, minimal, ofKind, render, root, valueSets } from './render';
import type { Values } from './render';

describe('the entry of the image, with the environment of the chart', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chart-kamailio-'));
    cpSync(join(root, 'deploy/asterisk/render.sh'), join(folder, 'render.sh'));
    for (const program of ['kamailio', 'kamcmd']) {
      writeFileSync(join(folder, program), `#!/bin/sh\necho "$@" > ${folder}/${program}.told\n`);
    }
    for (const program of ['kamailio', 'kamcmd', 'render.sh']) chmodSync(join(folder, program), 0o755);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function start(values: Values, place = {}): (file: string) => string {
    const objects = render(values);
    const environment = {
      ...imageEnvironment('kamailio'),
      ...environmentOf(find(objects, 'StatefulSet', 'kamailio'), objects, { ...surroundings, ...place }),
      EDGE_HOME: folder,
      CONTROL_SOCKET: join(folder, 'control'),
      KAMAILIO_TEMPLATES: join(root, 'deploy/kamailio/etc'),
      PATH: `${folder}:${searchPath()}`,
    };
    execFileSync('sh', [join(root, 'deploy/docker/start-kamailio.sh')], { env: environment, cwd: folder });
    return (file) => readFileSync(join(folder, file), 'utf8');
  }

  it('writes a configuration', () => {
    const read = start(minimal());
    const told = read('etc/kamailio.cfg');
    expect(told).toContain('listen=udp:10.244.1.7:5060 advertise 10.244.1.7:5060');
    expect(told).toContain('listen=tcp:10.244.1.7:8060');
    expect(told).toContain('listen=tcp:10.244.1.7:5070 advertise sabia-edges.');
    expect(told).not.toContain('name "edges"');
    expect(told).toContain('postgres://sabia_edge@postgres.example.internal:5432/sabia');
    expect(told).not.toMatch(/^#!define WITH_(TLS|IPV6)/m);
    expect(read('etc/phones.cfg')).toContain('10.244.0.0/16');
    expect(read('etc/upkeep.cfg')).toContain('sabia-kamailio-0');
    expect(read('kamailio.told')).toContain(`-f ${folder}/etc/kamailio.cfg`);
  });

  it('tells phones the address of the Service, and takes TLS with the certificate of the Secret', () => {
    const read = start(valueSets['edge-full'] ?? {});
    expect(read('etc/kamailio.cfg')).toContain('listen=udp:10.244.1.7:5080 advertise 203.0.113.9:5080');
    expect(read('etc/kamailio.cfg')).toContain('listen=tls:10.244.1.7:5443 advertise 203.0.113.9:5443');
    expect(read('etc/tls.cfg')).toContain('certificate = /tls/tls.crt\nprivate_key = /tls/tls.key');
    expect(read('etc/phones.cfg')).toContain('198.51.100.0/24');
  });

  it('tells phones the address of the machine, if the edge is on its network', () => {
    const values = valueSets['edge-host-network'] ?? {};
    expect(start(values)('etc/kamailio.cfg')).toContain('advertise 203.0.113.31:5060');
    expect(start(values, { machine: 'worker-b', podIp: '10.20.0.2' })('etc/kamailio.cfg')).toContain(
      'listen=udp:10.20.0.2:5060 advertise 10.20.0.2:5060',
    );
  });

  it('drains by saying so, then serves who is there for as long as it may', () => {
    const env = { PATH: `${folder}:${searchPath()}`, CONTROL_SOCKET: '/kamailio/run/control' };
    execFileSync('sh', [join(root, 'deploy/docker/drain-kamailio.sh'), '0'], { env });
    expect(readFileSync(join(folder, 'kamcmd.told'), 'utf8')).toBe(
      '-s unix:/kamailio/run/control pv.shvSet draining int 1\n',
    );
  });
});

describe('an edge', () => {
  it('is one of as many as the values say', () => {
    const objects = render(valueSets['edge-full'] ?? {});
    const { spec } = find(objects, 'StatefulSet', 'kamailio');
    expect(spec).toMatchObject({ replicas: 4, podManagementPolicy: 'Parallel' });
    expect(spec.template.spec.containers[0].lifecycle.preStop.exec.command).toEqual(['drain-kamailio.sh', '120']);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBe(150);
    expect(find(objects, 'PodDisruptionBudget', 'kamailio').spec.maxUnavailable).toBe(1);
  });

  it('is found by phones under one address that keeps theirs, and by the gateway by name', () => {
    const objects = render(valueSets['edge-full'] ?? {});
    expect(find(objects, 'Service', 'kamailio').spec.clusterIP).toBe('None');
    const { type, externalTrafficPolicy, ports } = find(objects, 'Service', 'sip').spec;
    expect([type, externalTrafficPolicy]).toEqual(['LoadBalancer', 'Local']);
    expect(ports.map(({ port }) => port)).toEqual([5080, 5080, 5443]);
    expect(find(render(minimal()), 'Service', 'sip').spec.ports.map(({ port }) => port)).toEqual([5060, 5060]);
    const onMachine = ofKind(render(valueSets['edge-host-network'] ?? {}), 'Service');
    expect(onMachine.filter(({ metadata }) => metadata.name.endsWith('-sip'))).toEqual([]);
  });

  it('is replaced by a change of what concerns it alone', () => {
    const podWith = (values: Values) => find(render(minimal(values)), 'StatefulSet', 'kamailio').spec.template;
    const secrets = (key: string) => ({ secrets: { values: { [key]: 'changed for a longer one' } } });
    expect(podWith({ logLevel: 'debug', ...secrets('ari-password') })).toEqual(podWith({}));
    expect(podWith(secrets('edge-secret'))).not.toEqual(podWith({}));
  });
});
