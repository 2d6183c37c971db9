// One PostgreSQL, one NATS and one Redis for all integration tests of a run.
require('./register-typescript.cjs');

const { join } = require('node:path');
const { createRegistry } = require('@sabia/embedded/process/registry');
const { startServers } = require('@sabia/embedded/servers');
const { publishTestServers } = require('@sabia/testkit/config');
const { createRunHome, removeAbandonedHomes, sharedCache } = require('@sabia/testkit/run-homes');
const { fetchTestPrograms } = require('@sabia/testkit/softphone/fetch-programs');
const onLeaving = require('./on-leaving.cjs');

module.exports = async function startServersForRun() {
  await removeAbandonedHomes();
  const home = await createRunHome('servers');
  const stayed = onLeaving(() => {
    createRegistry(join(home.path, 'run')).signalAll((stopSignal) => (stopSignal === 'SIGINT' ? 'SIGQUIT' : 'SIGKILL'));
    home.remove();
  });

  const started = Date.now();
  const progress = (message) => process.stderr.write(`  test servers: ${message}\n`);
  const servers = await startServers({
    home: home.path,
    cache: sharedCache,
    progress,
    durable: false,
    path: process.env.PATH,
  });
  publishTestServers({ postgresUrl: servers.postgres.url, natsUrl: servers.nats.url, redisUrl: servers.redis.url });
  await fetchTestPrograms(progress);
  progress(`ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);

  globalThis.stopTestServers = async () => {
    await servers.stop();
    home.remove();
    stayed();
  };
};
