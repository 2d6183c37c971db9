// A kube-apiserver with its etcd and nothing else: no kubelet, no controllers. It validates objects and stores them.
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { apiServer, etcd } from './tools.mjs';

const PATIENCE_MS = 120_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startControlPlane() {
  const programs = { etcd: etcd(), apiServer: apiServer() };
  const folder = mkdtempSync(join(tmpdir(), 'chart-apiserver-'));
  const children = [];
  const launch = (program, args, name) => {
    const log = openSync(join(folder, `${name}.log`), 'w');
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', log, log] });
    closeSync(log);
    children.push(child);
    return child;
  };
  const stop = async () => {
    for (const child of children.reverse()) {
      const gone = child.exitCode !== null || new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };

  const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  launch(
    programs.etcd,
    [
      ...[`--listen-client-urls=${etcdUrl}`, `--advertise-client-urls=${etcdUrl}`, `--listen-peer-urls=${peerUrl}`],
      ...[`--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=default=${peerUrl}`],
      ...['--data-dir=data', '--unsafe-no-fsync', '--log-level=warn'],
    ],
    'etcd',
  );

  const token = randomBytes(16).toString('hex');
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  mkdirSync(join(folder, 'certificates'));
  const server = launch(
    programs.apiServer,
    [
      ...[`--etcd-servers=${etcdUrl}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', '--cert-dir=certificates'],
      ...['--service-account-issuer=https://chart', '--service-account-key-file=key.pem'],
      ...['--service-account-signing-key-file=key.pem', '--service-cluster-ip-range=10.96.0.0/16'],
      ...['--token-auth-file=tokens.csv', '--authorization-mode=RBAC'],
      // No controller runs here that would create the service accounts of pods.
      '--disable-admission-plugins=ServiceAccount',
    ],
    'kube-apiserver',
  );

  /** Status, body and the warnings of the API server. */
  const call = (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
      const outgoing = request(
        { host: '127.0.0.1', port, method, path, headers, rejectUnauthorized: false },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part) => (text += part));
          answer.on('end', () => {
            const warnings = [answer.headers.warning ?? []].flat();
            resolve({ status: answer.statusCode, warnings, body: text.startsWith('{') ? JSON.parse(text) : text });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });

  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const ready = await call('GET', '/readyz').catch(() => undefined);
    if (ready?.status === 200) break;
    if (server.exitCode !== null || Date.now() > giveUpAt) {
      const log = readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').slice(-2_000);
      await stop();
      throw new Error(`the API server does not come up:\n${log}`);
    }
    await delay(200);
  }

  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'chart' },
      clusters: [{ name: 'chart', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'chart', context: { cluster: 'chart', user: 'admin' } }],
    }),
    { mode: 0o600 },
  );
  return { call, kubeconfig, stop };
}
