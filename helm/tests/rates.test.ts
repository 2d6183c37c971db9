import { find, hookWeight, isHook, minimal, ofKind, overlay, render, valueSets } from './render';
import type { Values } from './render';

const rates = { rates: { configMap: 'sabia-rates' } };

function importOf(values: Values) {
  const job = ofKind(render(values), 'Job').find(({ metadata }) => metadata.name.includes('import-rates'));
  if (!job) throw new Error('there is no Job that imports rates');
  return job;
}

it('is compiled code that runs, on the file of the ConfigMap', () => {
  const { template } = importOf(minimal(rates)).spec;
  expect(template.spec.containers[0]).toMatchObject({
    image: expect.stringMatching(/\/billing:/),
    command: ['node', 'dist/rates-import.js', '/rates/rates.csv', '--deck', 'default'],
  });
  expect(template.spec.volumes).toContainEqual({ name: 'rates', configMap: { name: 'sabia-rates' } });
});

it('takes another key and deck, and may end what the file does not name', () => {
  expect(importOf(valueSets['edge-full'] ?? {}).spec.template.spec.containers[0].command).toEqual([
    ...['node', 'dist/rates-import.js', '/rates/brasil.csv', '--deck', 'atacado 2026', '--replace'],
  ]);
});

it('comes after the migrations: as a later hook, or behind a migration of its own', () => {
  const hook = importOf(minimal(rates));
  expect(hook.metadata.annotations?.['helm.sh/hook']).toBe('post-install,post-upgrade');
  expect(hookWeight(hook)).toBe(0);
  expect(hook.spec.template.spec.initContainers).toBeUndefined();

  const beside = importOf(overlay(valueSets.demo ?? {}, rates));
  expect(isHook(beside)).toBe(false);
  expect(beside.spec.template.spec.initContainers?.map(({ args }) => args?.slice(0, 2))).toEqual([
    ['migrate', '--wait'],
  ]);
});

it('has a policy that outlives the hooks before it', () => {
  const policy = find(render(minimal(rates)), 'NetworkPolicy', 'import-rates');
  expect(isHook(policy)).toBe(false);
});

it('is not there without a ConfigMap; the demo has the sample deck of the image', () => {
  expect(() => importOf(minimal())).toThrow('there is no Job');
  expect(() => importOf(valueSets.demo ?? {})).toThrow('there is no Job');
  expect(find(render(valueSets.demo ?? {}), 'ConfigMap', 'billing').data?.RATES_SEED_FILE).toBe('rates/sample.csv');
});
