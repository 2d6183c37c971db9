import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchPath } from './config';
import { environmentOf, surroundings } from './environment';
import { find, minimal, ofKind, overlay, render, root, valueSets } from './render';
import type { Values } from './render';

/** Configuration files that are part of the image. */
function imageEnvironment(): Record<string, string> {
  const file = readFileSync(join(root, 'deploy/docker/asterisk.Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const lines = [...file.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.trim().split(/\s+/));
  return Object.fromEntries(lines.map((entry) => entry.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

describe('the entry of the image, with the environment of the chart', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chart-asterisk-'));
    cpSync(join(root, 'deploy/asterisk/render.sh'), join(folder, 'render.sh'));
    writeFileSync(join(folder, 'asterisk'), '#!/bin/sh\nexit 0\n');
    for (const program of ['asterisk', 'render.sh']) chmodSync(join(folder, program), 0o755);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function configuration(values: Values): (file: string) => string {
    const objects = render(values);
    const environment = {
      ...imageEnvironment(),
      ...environmentOf(find(objects, 'StatefulSet', 'asterisk'), objects, surroundings),
      ASTERISK_HOME: folder,
      ASTERISK_TEMPLATES: join(root, 'deploy/asterisk/etc'),
      PATH: `${folder}:${searchPath()}`,
    };
    execFileSync('sh', [join(root, 'deploy/docker/start-asterisk.sh')], { env: environment, cwd: folder });
    return (file) => readFileSync(join(folder, 'etc', file), 'utf8');
  }

  it('writes a configuration', () => {
    const read = configuration(minimal());
    expect(read('http.conf')).toContain('bindaddr=10.244.1.7\nbindport=8088');
    expect(read('res_pgsql.conf')).toContain(
      'dbhost=postgres.example.internal\ndbport=5432\ndbname=sabia\ndbuser=sabia_asterisk',
    );
    expect(read('rtp.conf')).toContain('rtpstart=20000\nrtpend=20199');
    expect(read('asterisk.conf')).toContain('systemname = sabia-asterisk-0');
    expect(read('pjsip.conf')).not.toContain('external_media_address');
    expect(read('hep.conf')).toContain('capture_address=sabia-sip-capture:9060');
    const off = configuration(overlay(minimal(), { asterisk: { capture: { enabled: false } } }));
    expect(off('hep.conf')).toMatch(/^enabled=no\nuuid_type/m);
    expect(() => read('pjsip_test_carrier.conf')).toThrow('ENOENT');
  });

  it('tells phones the public address', () => {
    const read = configuration(valueSets['edge-full'] ?? {});
    expect(read('pjsip.conf')).toContain('external_media_address=203.0.113.10');
    expect(read('pjsip.conf')).toContain('local_net=10.0.0.0/8');
    expect(read('pjsip.conf')).toContain('bind=10.244.1.7:5080');
    expect(read('rtp.conf')).toContain('10.244.1.7 => 203.0.113.10');
    expect(read('pjsip_test_carrier.conf')).toContain('password=secret');
  });
});

describe('Asterisk', () => {
  const podOf = (values: Values) => find(render(values), 'StatefulSet', 'asterisk').spec.template.spec;

  it('waits for its calls before it ends, and the kubelet waits longer', () => {
    const pod = podOf(minimal({ asterisk: { drainSeconds: 600 } }));
    const [shell, , line] = pod.containers[0].lifecycle.preStop.exec.command;
    expect(shell).toBe('sh');
    const cli = 'asterisk -C $ASTERISK_HOME/etc/asterisk.conf -rx';
    expect(line).toBe(
      `timeout 600 sh -c "${cli} 'core stop gracefully' & while ${cli} 'core show uptime' >/dev/null 2>&1; do sleep 2; done"`,
    );
    expect(pod.terminationGracePeriodSeconds).toBe(630);
  });

  it('can be driven while it drains', () => {
    expect(find(render(minimal()), 'Service', 'asterisk').spec).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
    });
  });

  it('keeps what telephony has not fetched on a volume', () => {
    const { volumeClaimTemplates, template } = find(render(minimal()), 'StatefulSet', 'asterisk').spec;
    expect(volumeClaimTemplates?.map(({ metadata }) => metadata.name)).toEqual(['spool']);
    expect(template.spec.containers[0].volumeMounts).toContainEqual({ name: 'spool', mountPath: '/asterisk/spool' });
  });

  it('offers every port of audio, or is on the network of its node', () => {
    const ports = find(render(minimal()), 'Service', 'sip').spec.ports;
    expect(ports.map(({ port }) => port)).toEqual([
      5060,
      5060,
      ...Array.from({ length: 200 }, (_, index) => 20_000 + index),
    ]);

    const onNode = render(valueSets['edge-host-network'] ?? {});
    expect(podOf(valueSets['edge-host-network'] ?? {})).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
    });
    expect(ofKind(onNode, 'Service').filter(({ spec }) => spec.type === 'LoadBalancer')).toEqual([]);
    expect(environmentOf(find(onNode, 'StatefulSet', 'asterisk'), onNode, surroundings)).toMatchObject({
      SIP_PUBLIC_ADDRESS: '10.244.1.7',
      RTP_END: '19999',
    });
  });

  it('is not restarted by what does not concern it', () => {
    const podWith = (values: Values) => find(render(minimal(values)), 'StatefulSet', 'asterisk').spec.template;
    const secrets = (key: string) => ({ secrets: { values: { [key]: 'changed' } } });
    expect(podWith({ logLevel: 'debug', ...secrets('smtp-url') })).toEqual(podWith({}));
    expect(podWith(secrets('ari-password'))).not.toEqual(podWith({}));
  });

  it('is not there when it is not wanted', () => {
    const objects = render(minimal({ asterisk: { enabled: false } }));
    expect(objects.filter(({ metadata }) => /asterisk|sip$/.test(metadata.name))).toEqual([]);
  });
});
