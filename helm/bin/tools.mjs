// Helm and what Kubernetes itself checks objects with, built once by the Go toolchain into the cache.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { cache } from './places.mjs';

export const versions = {
  helm: 'v4.3.1',
  validator: 'v0.0.4',
  kubernetes: 'v1.36.3',
  etcd: 'v3.6.8',
  gatewayApi: 'v1.6.3',
  prometheusOperator: 'v0.85.0',
};

/** The programs that the checks need, or the reason why they cannot be obtained here. */
export function obtainTools() {
  if (spawnSync('go', ['version']).status !== 0) return { reason: 'there is no Go here to build Helm with' };
  try {
    return { helm: helm(), validator: validator(), schemas: schemas(), customResources: customResources() };
  } catch (error) {
    return { reason: `Helm and the schemas of Kubernetes could not be had: ${error.stderr || error.message}` };
  }
}

const goEnvironment = (extra) => ({ ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'on', ...extra });

/** A folder of the cache, filled by `fill` unless it exists; it is moved into place only when complete. */
function cached(name, fill) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    fill(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function goInstall(name, module, version) {
  const folder = cached(`${name}-${version}`, (draft) => {
    console.log(`building ${name} ${version}, once`);
    execFileSync('go', ['install', '-ldflags=-s -w', `${module}@${version}`], {
      env: goEnvironment({ GOBIN: resolve(draft) }),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return join(folder, readdirSync(folder)[0]);
}

/** Where a Go module is on this machine. */
function goModule(module, version) {
  const folder = cached('go-modules', (draft) => writeFileSync(join(draft, 'go.mod'), 'module chart-check\n'));
  const args = ['mod', 'download', '-json', `${module}@${version}`];
  return JSON.parse(execFileSync('go', args, { cwd: folder, env: goEnvironment(), encoding: 'utf8' })).Dir;
}

const helm = () => goInstall('helm', 'helm.sh/helm/v4/cmd/helm', versions.helm);
const validator = () => goInstall('kubectl-validate', 'sigs.k8s.io/kubectl-validate', versions.validator);

/** The schemas that the API server publishes, laid out as the validator wants them: api/v1.json, apis/<group>/<version>.json. */
function schemas() {
  return cached(`kubernetes-schemas-${versions.kubernetes}`, (draft) => {
    const source = join(goModule('k8s.io/kubernetes', versions.kubernetes), 'api/openapi-spec/v3');
    for (const file of readdirSync(source)) {
      const [kind, group, version] = file.replace(/_openapi\.json$/, '').split('__');
      const parts = kind === 'api' ? ['api', group] : ['apis', group, version];
      if (parts.includes(undefined)) continue;
      mkdirSync(join(draft, ...parts.slice(0, -1)), { recursive: true });
      copyWritable(join(source, file), `${join(draft, ...parts)}.json`);
    }
  });
}

/** Of kinds that Kubernetes itself does not have. */
export function customResources() {
  return cached(`crds-${versions.gatewayApi}-${versions.prometheusOperator}`, (draft) => {
    const gatewayApi = join(goModule('sigs.k8s.io/gateway-api', versions.gatewayApi), 'config/crd/standard');
    const operator = join(
      goModule('github.com/prometheus-operator/prometheus-operator', versions.prometheusOperator),
      'example/prometheus-operator-crd',
    );
    const wanted = [
      [gatewayApi, 'gateway.networking.k8s.io_httproutes.yaml'],
      [operator, 'monitoring.coreos.com_servicemonitors.yaml'],
      [operator, 'monitoring.coreos.com_prometheusrules.yaml'],
    ];
    for (const [folder, file] of wanted) copyWritable(join(folder, file), join(draft, file));
  });
}

/** For modules that name their own libraries by folders and cannot be installed by name: those are published too. */
function goBuild(name, { module, version, program = module, libraryVersion = version, variables = '' }) {
  const folder = cached(`${name}-${version}`, (draft) => {
    console.log(`building ${name} ${version}, once`);
    const source = goModule(module, version);
    const options = { cwd: source, env: goEnvironment(), encoding: 'utf8' };
    const { Go, Require } = JSON.parse(execFileSync('go', ['mod', 'edit', '-json'], options));
    const libraries = Require.filter(({ Version }) => Version === 'v0.0.0').map(({ Path }) => Path);
    const lines = [
      `module build\n\ngo ${Go}\n\nrequire ${module} ${version}\n`,
      ...libraries.map((library) => `replace ${library} => ${library} ${libraryVersion}`),
    ];
    writeFileSync(join(draft, 'go.mod'), lines.join('\n'));
    execFileSync('go', ['build', `-ldflags=-s -w ${variables}`, '-o', name, program], {
      cwd: draft,
      env: goEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return join(folder, name);
}

export const etcd = () => goBuild('etcd', { module: 'go.etcd.io/etcd/server/v3', version: versions.etcd });

export const apiServer = () =>
  goBuild('kube-apiserver', {
    module: 'k8s.io/kubernetes',
    version: versions.kubernetes,
    program: 'k8s.io/kubernetes/cmd/kube-apiserver',
    libraryVersion: versions.kubernetes.replace(/^v1\./, 'v0.'),
    variables: `-X k8s.io/component-base/version.gitVersion=${versions.kubernetes}`,
  });

/** Files of the module cache are read-only, and copies would keep that mode. */
function copyWritable(from, to) {
  copyFileSync(from, to);
  chmodSync(to, 0o644);
}
