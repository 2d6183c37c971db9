// npm run chart:apiserver: the chart against a real API server with Pod Security "restricted". Optional: the first build takes several minutes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, parseAllDocuments } from 'yaml';
import { startControlPlane } from './control-plane.mjs';
import { chart, valueSets } from './places.mjs';
import { obtainTools, versions } from './tools.mjs';

const { helm, customResources, reason } = obtainTools();
if (reason) {
  console.log(`THE CHART WAS NOT TRIED: ${reason}`);
  process.exit(0);
}

// Nodes and edges on the networks of their machines: README.md says so.
const expectedRefusals = { 'edge-host-network': ['asterisk', 'kamailio'] };
const podKinds = ['Deployment', 'StatefulSet', 'Job'];
let passed = 0;
const failures = [];
const expect = (isRight, what) => {
  if (isRight) passed += 1;
  else failures.push(what);
};

const { call, kubeconfig, stop } = await startControlPlane();
const run = (args) => execFileSync(helm, [...args, '--kubeconfig', kubeconfig], { encoding: 'utf8', stdio: 'pipe' });

async function addCustomResources() {
  for (const file of readdirSync(customResources)) {
    const definition = parse(readFileSync(join(customResources, file), 'utf8'));
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const { group, versions: served, names } = definition.spec;
    const path = `/apis/${group}/${served.find(({ storage }) => storage).name}/${names.plural}`;
    while ((await call('GET', path)).status !== 200) await delay(100);
  }
}

/** The operator's own, as the values name it. */
async function addPriorityClass(name) {
  if (name) await call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 1_000 });
}

/** No controller runs hooks here, so each of their objects is applied by itself. */
async function applyHooks(namespace, objects) {
  const plurals = { Job: '/apis/batch/v1/jobs', NetworkPolicy: '/apis/networking.k8s.io/v1/networkpolicies' };
  for (const object of objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'])) {
    const path = (plurals[object.kind] ?? `/api/v1/${object.kind.toLowerCase()}s`).replace(
      /\/([a-z]+)$/,
      `/namespaces/${namespace}/$1`,
    );
    const { status, warnings, body } = await call('POST', path, object);
    expect(
      status === 201 && warnings.length === 0,
      `${namespace}: ${object.kind} ${object.metadata.name}: ${body.message ?? warnings}`,
    );
  }
}

/** Pod Security judges pods, and a controller would only find out later. */
async function judgePods(namespace, objects) {
  for (const { kind, metadata, spec } of objects.filter((object) => podKinds.includes(object.kind))) {
    const component = spec.template.metadata.labels['app.kubernetes.io/component'];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...spec.template.metadata, name: `try-${metadata.name}`.slice(0, 63) },
      spec: { ...spec.template.spec },
    };
    pod.spec.volumes = [
      ...(pod.spec.volumes ?? []),
      ...(spec.volumeClaimTemplates ?? []).map((claim) => ({
        name: claim.metadata.name,
        persistentVolumeClaim: { claimName: claim.metadata.name },
      })),
    ];
    await addPriorityClass(pod.spec.priorityClassName);
    const { status, body } = await call('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
    const isRefused = status === 403 && /violates PodSecurity "restricted/.test(body.message);
    const shouldBe = expectedRefusals[namespace]?.includes(component) ?? false;
    expect(
      shouldBe ? isRefused : status === 201,
      `${namespace}: pod of ${kind} ${metadata.name}: ${status} ${body.message ?? ''}`,
    );
  }
}

try {
  console.log(`kube-apiserver ${versions.kubernetes} is up`);
  await addCustomResources();
  for (const { name, file } of valueSets) {
    await call('POST', '/api/v1/namespaces', {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    const values = ['--namespace', name, '--values', file];
    const objects = parseAllDocuments(run(['template', 'sabia', chart, ...values]))
      .map((document) => document.toJS())
      .filter(Boolean);
    await applyHooks(name, objects);
    await judgePods(name, objects);
    // Installed, changed and taken away by Helm itself; the hooks were tried above.
    for (const change of ['info', 'debug']) {
      const said = attempt(() =>
        run(['upgrade', '--install', 'sabia', chart, ...values, '--no-hooks', '--set', `logLevel=${change}`]),
      );
      expect(said === undefined, `${name}: helm upgrade --install: ${said}`);
    }
    const said = attempt(() => run(['uninstall', 'sabia', '--namespace', name, '--no-hooks']));
    expect(said === undefined, `${name}: helm uninstall: ${said}`);
    console.log(`${name}: ${objects.length} objects`);
  }
} finally {
  await stop();
}

function attempt(work) {
  try {
    work();
    return undefined;
  } catch (error) {
    return error.stderr || error.message;
  }
}

for (const failure of failures) console.error(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
