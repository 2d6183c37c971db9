import { find, minimal, ofKind, render, valueSets } from './render';
import type { KubeObject, PodSpec } from './kube-object';

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];
const podOf = ({ spec }: KubeObject): PodSpec => spec.template.spec;

describe('what an operator adds', () => {
  const objects = render(valueSets['edge-full'] ?? {});
  const jobs = ofKind(objects, 'Job').filter(({ metadata }) => /migrate|rates/.test(metadata.name));

  it('is in the pods of services and gateway, and in those of their migrations', () => {
    const pods = [...['gateway', ...services].map((name) => find(objects, 'Deployment', name)), ...jobs].map(podOf);
    expect(jobs).toHaveLength(services.length + 1);
    for (const { volumes, containers } of pods) {
      expect(volumes).toContainEqual({ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } });
      expect(containers[0].volumeMounts).toContainEqual({ name: 'scratch', mountPath: '/scratch' });
      expect(containers[0].env).toContainEqual({ name: 'NODE_OPTIONS', value: '--max-old-space-size=400' });
    }
  });

  it('is in the pods of nodes and edges', () => {
    const { volumes, containers } = podOf(find(objects, 'StatefulSet', 'asterisk'));
    expect(volumes).toContainEqual({ name: 'sounds', configMap: { name: 'sounds' } });
    expect(containers[0].volumeMounts).toContainEqual({ name: 'sounds', mountPath: '/sounds' });
    expect(containers[0].env).toContainEqual({ name: 'TZ', value: 'America/Sao_Paulo' });
    const edge = podOf(find(objects, 'StatefulSet', 'kamailio'));
    expect(edge.volumes).toContainEqual({ name: 'more', configMap: { name: 'sounds' } });
    expect(edge.containers[0].volumeMounts).toContainEqual({ name: 'more', mountPath: '/more' });
    expect(edge.containers[0].env).toContainEqual({ name: 'TZ', value: 'America/Sao_Paulo' });
  });
});

describe('priority', () => {
  const classOf = (objects: KubeObject[], component = 'asterisk') =>
    podOf(find(objects, 'StatefulSet', component)).priorityClassName;

  it('nodes and edges have a class of their own, which a full machine makes room for', () => {
    for (const set of ['demo', 'production', 'edge-full']) {
      const objects = render(valueSets[set] ?? {});
      const [priorityClass] = ofKind(objects, 'PriorityClass');
      expect(priorityClass?.metadata.name).toMatch(/-asterisk-voice$/);
      expect(priorityClass).toMatchObject({ value: set === 'edge-full' ? 5 : 1_000_000 });
      expect(classOf(objects)).toBe(priorityClass?.metadata.name);
      expect(classOf(objects, 'kamailio')).toBe(priorityClass?.metadata.name);
    }
  });

  it('or that of the operator, or none', () => {
    const asterisk = { priorityClassName: 'ours', priorityClass: { create: true } };
    expect(classOf(render(minimal({ asterisk })))).toBe('ours');
    expect(classOf(render(minimal()))).toBeUndefined();
    expect(ofKind(render(minimal()), 'PriorityClass')).toEqual([]);
  });

  it('Jobs have what the values name', () => {
    const jobs = ofKind(render(valueSets['edge-full'] ?? {}), 'Job');
    expect(new Set(jobs.map((job) => podOf(job).priorityClassName))).toEqual(new Set(['high']));
  });
});
