import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchPath } from './config';
import { environmentOf, imageEnvironment, surroundings } from './environment';
import { find, minimal, ofKind, overlay, render, root, valueSets } from './render';
import type { Values } from './render';

describe('the entry of the image, with the environment of the chart', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chart-asterisk-'));
    cpSync(join(root, 'deploy/asterisk/render.sh'), join(folder, 'render.sh'));
    writeFileSync(join(folder, 'asterisk'), '#!/bin/sh\nexit 0\n');
    for (const program of ['asterisk', 'render.sh']) chmodSync(join(folder, program), 0o755);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function configuration(values: Values, place = {}): (file: string) => string {
    const objects = render(values);
    const environment = {
      ...imageEnvironment('asterisk'),
      ...environmentOf(find(objects, 'StatefulSet', 'asterisk'), objects, { ...surroundings, ...place }),
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

  it('tells phones the address of this node', () => {
    const first = configuration(valueSets['edge-full'] ?? {});
    expect(first('pjsip.conf')).toContain('external_media_address=203.0.113.10');
    expect(first('pjsip.conf')).toContain('bind=10.244.1.7:5090');
    // Edges find the node under its own address, carriers under the public one.
    const sectionOf = (name: string) => new RegExp(`^\\[${name}\\][^[]*`, 'm').exec(first('pjsip.conf'))?.[0];
    expect(sectionOf('udp')).toContain('external_signaling_address=203.0.113.10');
    expect(sectionOf('tcp')).not.toContain('external_signaling_address');
    expect(first('rtp.conf')).toContain('10.244.1.7 => 203.0.113.10');
    expect(first('pjsip_test_carrier.conf')).toContain('password=secret');
    const third = configuration(valueSets['edge-full'] ?? {}, { ordinal: 2 });
    expect(third('asterisk.conf')).toContain('asterisk-2');
    expect(third('pjsip.conf')).toContain('external_media_address=2001:db8::12');
  });

  it('tells phones the address of the machine, if the node is on its network', () => {
    const onMachine = configuration(valueSets['edge-host-network'] ?? {}, { machine: 'worker-b', podIp: '10.20.0.2' });
    expect(onMachine('pjsip.conf')).toContain('external_media_address=203.0.113.22');
    expect(onMachine('rtp.conf')).toContain('10.20.0.2 => 203.0.113.22');
    const elsewhere = configuration(valueSets['edge-host-network'] ?? {}, { machine: 'worker-c' });
    expect(elsewhere('pjsip.conf')).not.toContain('external_media_address');
  });
});

describe('draining', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chart-drain-'));
    mkdirSync(join(folder, 'spool/recording'), { recursive: true });
    writeFileSync(join(folder, 'channels'), '2');
    writeFileSync(
      join(folder, 'asterisk'),
      // Its calls end one by one, each time it is asked.
      `#!/bin/sh
echo "$4" >> ${folder}/told
case "$4" in
"core show channels count")
  left=$(cat ${folder}/channels)
  echo "$left active channels"
  if [ "$left" -gt 0 ]; then echo $((left - 1)) > ${folder}/channels; fi
  if [ -e ${folder}/fetches ] && [ "$(wc -l < ${folder}/told)" -gt 3 ]; then rm -f ${folder}/spool/recording/*; fi ;;
esac
[ ! -e ${folder}/hangs ] || sleep 60
[ ! -e ${folder}/gone ]
`,
    );
    chmodSync(join(folder, 'asterisk'), 0o755);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Seconds that it took. */
  function drain(seconds: number): number {
    const env = {
      PATH: `${folder}:${searchPath()}`,
      ASTERISK_HOME: folder,
      DRAIN_NOTICE_SECONDS: '0',
      DRAIN_ROUND_SECONDS: '0.1',
      DRAIN_PATIENCE_SECONDS: '0.5',
    };
    const startedAt = Date.now();
    execFileSync('sh', [join(root, 'deploy/docker/drain-asterisk.sh'), String(seconds)], { env });
    return (Date.now() - startedAt) / 1000;
  }
  const told = () => readFileSync(join(folder, 'told'), 'utf8').trim().split('\n');

  it('says so first, and is over with the last call', () => {
    drain(600);
    expect(told()[0]).toBe('dialplan set global SABIA_DRAINING 1');
    expect(told().filter((line) => line === 'core show channels count')).toHaveLength(3);
  });

  it('waits until telephony has what was recorded', () => {
    writeFileSync(join(folder, 'channels'), '0');
    writeFileSync(join(folder, 'spool/recording/call.wav'), '');
    writeFileSync(join(folder, 'fetches'), '');
    drain(600);
    expect(told().filter((line) => line === 'core show channels count')).toHaveLength(3);
  });

  it('waits no longer than it may', () => {
    writeFileSync(join(folder, 'spool/recording/call.wav'), '');
    expect(drain(2)).toBeGreaterThanOrEqual(1);
  });

  it.each(['gone', 'hangs'])('does not wait for an Asterisk that says nothing: it %s', (how) => {
    writeFileSync(join(folder, how), '');
    drain(600);
    expect(told().filter((line) => line === 'core show channels count')).toHaveLength(5);
  });
});

describe('a node', () => {
  const podOf = (values: Values) => find(render(values), 'StatefulSet', 'asterisk').spec.template.spec;

  it('waits for its calls before it ends, and the kubelet waits longer', () => {
    const pod = podOf(minimal({ asterisk: { drainSeconds: 600 } }));
    expect(pod.containers[0].lifecycle.preStop.exec.command).toEqual(['drain-asterisk.sh', '600']);
    expect(pod.terminationGracePeriodSeconds).toBe(630);
  });

  it('can be driven while it drains', () => {
    expect(find(render(minimal()), 'Service', 'asterisk').spec).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
    });
  });

  it('is one of as many as the values say, which come and go without waiting for each other', () => {
    const objects = render(minimal({ asterisk: { replicas: 5 } }));
    expect(find(objects, 'StatefulSet', 'asterisk').spec).toMatchObject({
      replicas: 5,
      podManagementPolicy: 'Parallel',
    });
    expect(find(objects, 'PodDisruptionBudget', 'asterisk').spec.maxUnavailable).toBe(1);
    expect(find(render(valueSets['edge-full'] ?? {}), 'PodDisruptionBudget', 'asterisk').spec.maxUnavailable).toBe(
      '34%',
    );
  });

  it('keeps what telephony has not fetched on a volume', () => {
    const { volumeClaimTemplates, template } = find(render(minimal()), 'StatefulSet', 'asterisk').spec;
    expect(volumeClaimTemplates?.map(({ metadata }) => metadata.name)).toEqual(['spool']);
    expect(template.spec.containers[0].volumeMounts).toContainEqual({ name: 'spool', mountPath: '/asterisk/spool' });
  });

  it('has an address of its own with every port of audio, or is on the network of its machine', () => {
    const objects = render(valueSets['edge-full'] ?? {});
    const audio = ofKind(objects, 'Service').filter(({ metadata }) => metadata.name.includes('-audio-'));
    const name = find(objects, 'StatefulSet', 'asterisk').metadata.name;
    expect(audio.map(({ spec }) => spec.selector['statefulset.kubernetes.io/pod-name'])).toEqual([
      `${name}-0`,
      `${name}-1`,
      `${name}-2`,
    ]);
    expect(audio.map(({ metadata }) => metadata.annotations?.['metallb.io/loadBalancerIPs'])).toEqual([
      '203.0.113.10',
      '203.0.113.11',
      '2001:db8::12',
    ]);
    for (const { spec } of audio) {
      expect(spec.externalTrafficPolicy).toBe('Local');
      // A cluster has 2768 ports of machines for all its Services.
      expect(spec.allocateLoadBalancerNodePorts).toBe(false);
      expect(spec.ports.map(({ port }) => port)).toEqual([
        5090,
        ...Array.from({ length: 999 }, (_, index) => 30_000 + index),
      ]);
    }

    const onMachine = render(valueSets['edge-host-network'] ?? {});
    expect(podOf(valueSets['edge-host-network'] ?? {})).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
    });
    expect(ofKind(onMachine, 'Service').filter(({ spec }) => spec.type === 'LoadBalancer')).toEqual([]);
  });

  it('is not restarted by what does not concern it', () => {
    const podWith = (values: Values) => find(render(minimal(values)), 'StatefulSet', 'asterisk').spec.template;
    const secrets = (key: string) => ({ secrets: { values: { [key]: 'changed' } } });
    expect(podWith({ logLevel: 'debug', ...secrets('smtp-url') })).toEqual(podWith({}));
    expect(podWith(secrets('ari-password'))).not.toEqual(podWith({}));
  });

  it('is not there when it is not wanted', () => {
    const objects = render(minimal({ asterisk: { enabled: false } }));
    expect(objects.filter(({ metadata }) => /asterisk|kamailio|audio|sip$/.test(metadata.name))).toEqual([]);
  });
});
