// One whole stack, with two gateways, for all acceptance tests of a run.
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

require('./register-typescript.cjs');

module.exports = async function startStackForRun() {
  // The processes of a stack run what was built.
  execFileSync(process.execPath, [join(__dirname, '../../embedded/bin/prepare.mjs')], { stdio: 'inherit' });

  const { publishTestStack } = require('@sabia/testkit/config');
  const { removeAbandonedHomes } = require('@sabia/testkit/run-homes');
  const { spawnStack } = require('@sabia/testkit/stack-process');

  await removeAbandonedHomes();
  const started = Date.now();
  const stack = await spawnStack({ gateways: 2 });
  // jest leaves on Ctrl-C without calling the teardown. The supervisor then ends by itself; the home goes with the next run.
  const abandon = () => stack.signal('SIGTERM');
  process.once('exit', abandon);
  process.stderr.write('  test stack: starting\n');
  await stack.ready();
  publishTestStack(stack.home.path);
  process.stderr.write(`  test stack: ready after ${((Date.now() - started) / 1000).toFixed(1)} s\n`);

  globalThis.stopTestStack = async () => {
    process.off('exit', abandon);
    await stack.end();
  };
};
