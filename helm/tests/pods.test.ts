import { environmentOf, surroundings } from './environment';
import { referencesOf } from './references';
import { find, minimal, ofKind, render, valueSets, withPods } from './render';
import type { KubeObject } from './kube-object';

const componentOf = ({ spec }: KubeObject): string =>
  spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';
const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];

/** https://kubernetes.io/docs/concepts/security/pod-security-standards, restricted; and what we ask beyond it. */
function sins({ spec: { template } }: KubeObject): string[] {
  const pod = template.spec;
  const volumeKinds = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'projected', 'secret'];
  const found = [
    pod.hostNetwork && 'hostNetwork',
    pod.hostPID && 'hostPID',
    pod.hostIPC && 'hostIPC',
    pod.securityContext.runAsNonRoot !== true && 'runAsNonRoot',
    pod.securityContext.runAsUser < 1000 && 'runAsUser',
    pod.securityContext.seccompProfile.type !== 'RuntimeDefault' && 'seccompProfile',
    pod.automountServiceAccountToken !== false && 'automountServiceAccountToken',
    pod.enableServiceLinks !== false && 'enableServiceLinks',
    ...(pod.volumes ?? []).map(({ name, ...kind }) => {
      const [is = ''] = Object.keys(kind);
      return !volumeKinds.includes(is) && `volume ${name}`;
    }),
    ...[...(pod.initContainers ?? []), ...pod.containers].flatMap((container) => [
      container.securityContext.allowPrivilegeEscalation !== false && 'allowPrivilegeEscalation',
      container.securityContext.readOnlyRootFilesystem !== true && 'readOnlyRootFilesystem',
      container.securityContext.privileged && 'privileged',
      container.securityContext.capabilities.add && 'capabilities added',
      !container.securityContext.capabilities.drop.includes('ALL') && 'capabilities kept',
      (container.ports ?? []).some(({ hostPort }) => hostPort) && 'hostPort',
      !container.resources.requests?.cpu && 'no request of cpu',
      !container.resources.requests?.memory && 'no request of memory',
      !container.resources.limits?.memory && 'no limit of memory',
    ]),
  ];
  return found.filter((sin) => typeof sin === 'string');
}

describe.each(Object.keys(valueSets))('with the values %s', (set) => {
  const objects = render(valueSets[set] ?? {});
  const workloads = withPods(objects);

  it('every pod is under the restricted profile; only nodes and edges on the networks of their machines are not', () => {
    const found = workloads.flatMap((workload) => sins(workload).map((sin) => `${componentOf(workload)}: ${sin}`));
    expect(found).toEqual(set === 'edge-host-network' ? ['asterisk: hostNetwork', 'kamailio: hostNetwork'] : []);
  });

  it('everything that a pod names is there', () => {
    const isThere = (kind: string, name: string) => objects.some((o) => o.kind === kind && o.metadata.name === name);
    // Secrets and claims of the operator's own.
    const given = ['sabia', 'sabia-authorities', 'sabia-rates', 'redis-credentials', 'nats', 'mine'];
    given.push('all', 'authorities', 'prices', 'sounds', 'sip-tls', 'sip-example-com-tls');
    const missing = workloads
      .flatMap(({ spec }) => referencesOf(spec.template.spec))
      .filter(([kind, name]) => !isThere(kind, name) && !given.includes(name));
    expect(missing).toEqual([]);
  });

  it('every mounted volume is one of the pod, and every Service leads to a port', () => {
    for (const { spec } of workloads) {
      const { volumes = [], containers, initContainers = [] } = spec.template.spec;
      const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
      const names = [...volumes.map(({ name }) => name), ...claims];
      for (const { volumeMounts = [] } of [...initContainers, ...containers]) {
        expect(names).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
      }
    }
    for (const service of ofKind(objects, 'Service')) {
      const target = workloads.find(({ spec }) =>
        Object.entries(service.spec.selector)
          // Put on by the controller.
          .filter(([name]) => name !== 'statefulset.kubernetes.io/pod-name')
          .every(([name, value]) => spec.template.metadata.labels[name] === value),
      );
      const names = target?.spec.template.spec.containers[0].ports?.map(({ name }) => name);
      for (const { targetPort } of service.spec.ports) {
        if (targetPort) expect(names).toContain(targetPort);
      }
    }
  });

  it('the kubelet waits longer than a process takes to stop', () => {
    for (const component of ['gateway', ...services]) {
      const deployment = find(objects, 'Deployment', component);
      const pod = deployment.spec.template.spec;
      const environment = environmentOf(deployment, objects, surroundings);
      const toStop = pod.containers[0].lifecycle.preStop.sleep.seconds + Number(environment.SHUTDOWN_TIMEOUT_MS) / 1000;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(toStop);
    }
  });

  it('names are short enough for labels', () => {
    for (const { metadata } of objects) expect(metadata.name.length).toBeLessThanOrEqual(63);
  });
});

describe('gRPC', () => {
  it('is behind headless Services, the gateway behind a Service with an address', () => {
    const objects = render(minimal());
    for (const service of services) expect(find(objects, 'Service', service).spec.clusterIP).toBe('None');
    expect(find(objects, 'Service', 'gateway').spec.clusterIP).toBeUndefined();
  });
});

describe('what is said of one service', () => {
  const objects = render(valueSets['edge-full'] ?? {});

  it('wins over the defaults, be it false or zero', () => {
    expect(find(objects, 'Deployment', 'identity').spec.replicas).toBe(0);
    const autoscaled = ofKind(objects, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name.split('-').pop());
    expect(autoscaled.sort()).toEqual(['billing', 'extensions', 'gateway', 'telephony', 'webhook']);
  });

  it('leaves the rest of them as it is', () => {
    // With an autoscaler the number of pods is not ours.
    expect(find(objects, 'Deployment', 'billing').spec).not.toHaveProperty('replicas');
    expect(find(objects, 'HorizontalPodAutoscaler', 'billing').spec).toMatchObject({ minReplicas: 1, maxReplicas: 40 });
    expect(find(objects, 'Deployment', 'telephony').spec.template.spec).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      priorityClassName: 'high',
      terminationGracePeriodSeconds: 145,
    });
  });

  it('images come from one place, unless one is named whole', () => {
    const imageOf = (component: string) =>
      find(objects, ['asterisk', 'kamailio'].includes(component) ? 'StatefulSet' : 'Deployment', component).spec
        .template.spec.containers[0].image;
    expect(imageOf('identity')).toMatch(/^registry\.example\.com\/identity@sha256:/);
    expect(imageOf('gateway')).toBe('registry.example.com:5000/deep/path/gateway:1.2.3-rc.1');
    expect(imageOf('asterisk')).toBe('registry.example.com:5000/deep/path/asterisk:1.2.3-rc.1');
    expect(imageOf('kamailio')).toBe('registry.example.com:5000/deep/path/kamailio:1.2.3-rc.1');
  });
});

test('a change of configuration replaces the pods that it concerns, and no others', () => {
  const sumOf = (values: object, component: string) =>
    find(render(minimal({ ...values })), 'Deployment', component).spec.template.metadata.annotations['checksum/config'];
  const changed = { services: { identity: { env: { MAIL_FROM: 'a@example.com' } } } };
  expect(sumOf(changed, 'identity')).not.toBe(sumOf({}, 'identity'));
  expect(sumOf(changed, 'billing')).toBe(sumOf({}, 'billing'));
});

test('the host of publicUrl is that of the Ingress, with TLS, and of the HTTPRoute', () => {
  expect(find(render(valueSets.production ?? {}), 'Ingress', 'gateway').spec).toMatchObject({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['voice.example.com'], secretName: 'voice-example-com-tls' }],
    rules: [{ host: 'voice.example.com', http: { paths: [{ path: '/', pathType: 'Prefix' }] } }],
  });
  expect(find(render(valueSets['edge-full'] ?? {}), 'HTTPRoute', 'gateway').spec).toMatchObject({
    hostnames: ['voice.example.com'],
    rules: [
      { matches: [{ path: { value: '/sip' } }], timeouts: { request: '0s' } },
      { matches: [{ path: { value: '/' } }] },
    ],
  });
});

test('the alerts are those of deploy/observability', () => {
  const [rule] = ofKind(render(valueSets.production ?? {}), 'PrometheusRule');
  expect(rule?.metadata.labels.release).toBe('prometheus');
  expect(rule?.spec.groups[0]?.rules.length).toBeGreaterThan(5);
  expect(ofKind(render(valueSets.production ?? {}), 'ServiceMonitor')).toHaveLength(6);
  expect(ofKind(render(minimal()), 'PrometheusRule')).toHaveLength(0);
});
