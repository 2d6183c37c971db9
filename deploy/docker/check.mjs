// npm run images:check: does what the Dockerfile says in a clean folder, and starts what came out of it: identity migrates a real
// PostgreSQL and serves, the gateway is ready. Of the other services only the imports are checked, as they differ in nothing else;
// with --all they are built and started, too. Needs no container tool and no base image.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAsterisk, checkKamailio } from './check-voice.mjs';
import { createBuilder } from './dockerfile.mjs';
import { images, root } from './images.mjs';

const require = createRequire(import.meta.url);
const {
  bootstrap,
  databaseName,
  databaseUrl,
  ensureDatabase,
  roleOf,
  serviceNames,
} = require('@sabia/embedded/database');
const { openDiscovery } = require('@sabia/embedded/discovery/discovery');
const { openPortBook } = require('@sabia/embedded/process/port-book');
const { openSecrets } = require('@sabia/embedded/secrets');
const { startServers } = require('@sabia/embedded/servers');
const { drawBlueprint } = require('@sabia/embedded/stack/blueprint');
const { answersHttp, servesGrpc } = require('@sabia/embedded/stack/probes');

const DOCKERFILE = 'deploy/docker/Dockerfile';
const PATIENCE_MS = 180_000;
const say = (message) => process.stdout.write(`  ${message}\n`);

/** npm passes its settings to scripts as npm_* variables; an inner npm would take them for its own. */
function cleanEnvironment() {
  const ofThisRun =
    /^(npm_(?!config_(registry|cache|userconfig|.*proxy|.*_authToken)$)|INIT_CWD$|NODE_ENV$|PG[A-Z]+$|SABIA_)/i;
  const kept = Object.entries(process.env).filter(([name]) => !ofThisRun.test(name));
  return { ...Object.fromEntries(kept), npm_config_prefer_offline: 'true' };
}

function check(condition, message) {
  if (!condition) throw new Error(message);
}

/** Checks the properties of the image that show without starting it. */
function inspect({ name, workspace }, { root: folder, workdir, user, entrypoint, env }) {
  check(/^[1-9]\d*:[1-9]\d*$/.test(user), `${name}: USER must be numbers, and not root's`);
  check(entrypoint[0] === 'node' && existsSync(join(folder, workdir, entrypoint.at(-1))), `${name}: no ENTRYPOINT`);
  check(env.NODE_ENV === 'production', `${name}: NODE_ENV is not production`);
  const files = readdirSync(join(folder, 'sabia'), { recursive: true });
  const source = files.find((path) => path.endsWith('.ts') && !path.includes('node_modules'));
  check(!source, `${name}: ${source} is no part of what runs`);
  const { packages } = JSON.parse(readFileSync(join(folder, 'sabia/package-lock.json'), 'utf8'));
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
  const unwanted = ['typescript', 'jest', ...Object.keys(devDependencies)].find((each) =>
    existsSync(join(folder, 'sabia/node_modules', each)),
  );
  const isNeeded = unwanted && Object.values(packages).some(({ dependencies }) => dependencies?.[unwanted]);
  check(!unwanted || isNeeded, `${name}: ${unwanted} is a development dependency`);
  const bill = JSON.parse(readFileSync(join(folder, 'sabia/sbom.spdx.json'), 'utf8'));
  check(
    bill.packages.some((each) => each.name === `@sabia/${name}`),
    `${name}: the bill of materials is incomplete`,
  );
}

/** A package that only the tests' or another workspace's package.json names would be missing in the image. */
function checkImports(folder, workspace) {
  const { name, dependencies = {} } = JSON.parse(readFileSync(join(folder, workspace, 'package.json'), 'utf8'));
  const dist = join(folder, workspace, 'dist');
  for (const path of readdirSync(dist, { recursive: true }).filter((each) => each.endsWith('.js'))) {
    const text = readFileSync(join(dist, path), 'utf8');
    for (const [, imported] of text.matchAll(/(?:require|import)\(["']([^."'][^"']*)["']\)/g)) {
      const [first, second] = imported.split('/');
      const wanted = first.startsWith('@') ? `${first}/${second}` : first;
      check(
        // Node lets a package import its own modules by its name.
        isBuiltin(imported) || wanted === name || dependencies[wanted],
        `${workspace}: ${path} imports ${wanted}, which is no dependency`,
      );
    }
  }
}

/** Runs as the user of the image where that is possible: a user who owns no file can change none. */
function start({ root: folder, workdir, entrypoint, user, env }, args, environment) {
  const [uid, gid] = user.split(':').map(Number);
  const child = spawn(process.execPath, [...entrypoint.slice(1), ...args], {
    cwd: join(folder, workdir),
    env: { ...cleanEnvironment(), ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(process.getuid() === 0 ? { uid, gid } : {}),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const exited = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  return { child, exited, output: () => output };
}

async function migrate(name, image, environment) {
  const { exited, output } = start(image, ['migrate'], environment);
  check((await exited) === 0, `${name} migrate failed:\n${output()}`);
}

async function serve(name, image, environment, probe) {
  const running = start(image, [], environment);
  let isOver = false;
  void running.exited.then(() => (isOver = true));
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 200))) {
    check(!isOver, `${name} ended:\n${running.output()}`);
    try {
      await probe();
      return running;
    } catch (error) {
      check(Date.now() < giveUpAt, `${name} is not ready: ${error.message}\n${running.output()}`);
    }
  }
}

async function startAll(built, home) {
  const cache = process.env.SABIA_CACHE ?? join(root, '.sabia/cache');
  const [ports, secrets] = [openPortBook(home), openSecrets(home)];
  const servers = await startServers({ home, cache, durable: false, ports });
  const running = [];
  try {
    const urls = { postgres: servers.postgres.url, nats: servers.nats.url, redis: servers.redis.url };
    await ensureDatabase(urls.postgres);
    const passwords = Object.fromEntries(serviceNames.map((name) => [name, secrets.get(roleOf(name))]));
    await bootstrap(databaseUrl(urls.postgres, databaseName), passwords);
    const discovery = await openDiscovery({ ports, replicas: {}, readyHosts: () => [] });
    const port = await ports.take('gateway');
    const place = { home, host: '127.0.0.1', port, gateways: 1, replicas: {}, discovery, urls, ports, secrets };
    const { services, gateways } = await drawBlueprint(place);
    await Promise.all(
      services
        .filter(({ name }) => built.has(name))
        .map(async ({ name, grpc, environment }) => {
          const own = name === 'telephony' ? { ...environment, SWITCH: 'simulated' } : environment;
          await migrate(name, built.get(name), own);
          running.push(await serve(name, built.get(name), own, () => servesGrpc(grpc)));
        }),
    );
    const [{ environment, url }] = gateways;
    running.push(await serve('gateway', built.get('gateway'), environment, () => answersHttp(`${url}/readyz`)));
    for (const { child, exited, output } of running.reverse()) {
      child.kill('SIGTERM');
      check((await exited) === 0, `SIGTERM was not heeded:\n${output()}`);
    }
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await servers.stop();
  }
}

const work = mkdtempSync(join(tmpdir(), 'sabia-images-'));
chmodSync(work, 0o755);
try {
  const startedAt = Date.now();
  checkAsterisk(join(work, 'asterisk'));
  checkKamailio(join(work, 'kamailio'));
  const environment = cleanEnvironment();
  const builder = createBuilder({
    file: join(root, DOCKERFILE),
    context: root,
    work: join(work, 'stages'),
    environment,
    say,
  });
  const built = new Map();
  const ofNode = images.filter(({ workspace }) => workspace);
  const isChosen = ({ name }) => process.argv.includes('--all') || name === 'identity' || name === 'gateway';
  const [{ root: compiled }] = await Promise.all([
    builder.build('build', {}),
    ...ofNode.filter(isChosen).map(async (image) => {
      const result = await builder.build('runtime', { WORKSPACE: image.workspace });
      inspect(image, result);
      built.set(image.name, result);
    }),
  ]);
  const workspaces = ['protos', 'packages/service-kit', ...ofNode.map(({ workspace }) => workspace)];
  workspaces.forEach((workspace) => checkImports(join(compiled, 'sabia'), workspace));
  await startAll(built, join(work, 'home'));
  say(`${[...built.keys()].join(', ')} would run: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
