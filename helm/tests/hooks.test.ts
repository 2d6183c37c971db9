import { hookWeight, isHook, ofKind, render, valueSets } from './render';
import { referencesOf } from './references';

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];

describe.each(['minimal', 'production', 'edge-full'])('with the values %s', (set) => {
  const objects = render(valueSets[set] ?? {});
  const jobs = ofKind(objects, 'Job');

  it('a migration per service runs before an install or an upgrade, each under a service account of its own', () => {
    const migrations = jobs.filter(({ metadata }) => metadata.name.includes('-migrate-'));
    expect(migrations.map(({ metadata }) => metadata.name.split('-').pop()).sort()).toEqual([...services].sort());
    for (const job of migrations) {
      expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      expect(job.spec.template.spec.serviceAccountName).toBe(job.metadata.name);
    }
  });

  it('nothing of a hook stays after it succeeded; one that failed stays, with its log', () => {
    for (const object of objects.filter(isHook)) {
      const policy = object.metadata.annotations?.['helm.sh/hook-delete-policy'];
      expect([object.metadata.name, policy]).toEqual([object.metadata.name, 'before-hook-creation,hook-succeeded']);
    }
  });

  it('roles come before migrations, and what a Job needs before the Job', () => {
    for (const job of jobs) {
      expect(hookWeight(job)).toBe(job.metadata.name.endsWith('-bootstrap') ? -5 : 0);
      // Nothing else is there yet at the first install.
      for (const [kind, name] of referencesOf(job.spec.template.spec)) {
        const own = objects.filter((object) => object.kind === kind && object.metadata.name === name);
        for (const object of own) {
          expect([name, isHook(object)]).toEqual([name, true]);
          expect(hookWeight(object)).toBeLessThan(hookWeight(job));
        }
      }
    }
    const [policy] = ofKind(objects, 'NetworkPolicy').filter(isHook);
    expect(policy && hookWeight(policy)).toBe(-10);
  });

  it('nothing that stays needs what goes with a hook', () => {
    const gone = new Set(objects.filter(isHook).map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    for (const { kind, spec } of objects.filter((object) => !isHook(object))) {
      if (!['Deployment', 'StatefulSet'].includes(kind)) continue;
      for (const reference of referencesOf(spec.template.spec)) expect(gone).not.toContain(reference.join(' '));
    }
  });
});

test('beside the rest, migrations are Jobs of their revision', () => {
  const objects = render(valueSets.demo ?? {});
  expect(objects.filter(isHook)).toEqual([]);
  expect(
    ofKind(objects, 'Job')
      .map(({ metadata }) => metadata.name)
      .sort(),
  ).toEqual(['sabia-bootstrap-1', ...services.map((service) => `sabia-migrate-${service}-1`)].sort());
});
