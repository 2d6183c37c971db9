// Servers for the integration tests of a run: one PostgreSQL, and for each worker a NATS and a Redis.
require('./register-typescript.cjs');

const { join } = require('node:path');
const { createRegistry } = require('@sabia/embedded/process/registry');
const { startServers } = require('@sabia/embedded/servers');
const { publishTestServers } = require('@sabia/testkit/config');
const { createRunHome, removeAbandonedHomes, sharedCache } = require('@sabia/testkit/run-homes');
const { fetchTestPrograms } = require('@sabia/testkit/softphone/fetch-programs');
const onLeaving = require('./on-leaving.cjs');
const { countOfFiles, filesThatImport, PROGRAMS, SERVERS } = require('./selection.cjs');

module.exports = async function startServersForRun({ maxWorkers }) {
  await removeAbandonedHomes();
  const started = Date.now();
  const progress = (message) => process.stderr.write(`  test servers: ${message}\n`);
  // Any worker may get a file that needs servers, whichever project its other files belong to.
  const workers = Math.min(maxWorkers, countOfFiles());
  if (filesThatImport('integration', SERVERS).length > 0) await start(workers, progress);
  if (filesThatImport('integration', PROGRAMS).length > 0) await fetchTestPrograms(progress);
  progress(`ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
};

async function start(workers, progress) {
  const home = await createRunHome('servers');
  const folders = Array.from({ length: workers }, (_, nth) => join(home.path, `worker-${nth + 1}`));
  const stayed = onLeaving(() => {
    for (const folder of [home.path, ...folders]) {
      createRegistry(join(folder, 'run')).signalAll((signal) => (signal === 'SIGINT' ? 'SIGQUIT' : 'SIGKILL'));
    }
    home.remove();
  });
  const options = { cache: sharedCache, progress, durable: false, path: process.env.PATH };
  const [shared, ...own] = await Promise.all([
    startServers({ ...options, home: home.path, only: ['postgres'] }),
    ...folders.map((folder) => startServers({ ...options, home: folder, only: ['nats', 'redis'] })),
  ]);
  publishTestServers({
    postgresUrl: shared.postgres.url,
    workers: own.map(({ nats, redis }) => ({ natsUrl: nats.url, redisUrl: redis.url })),
  });

  globalThis.stopTestServers = async () => {
    await Promise.all([shared, ...own].map((servers) => servers.stop()));
    home.remove();
    stayed();
  };
}
