// One whole stack, with two gateways and a real Asterisk, for all acceptance tests of a run.
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const onLeaving = require('./on-leaving.cjs');

require('./register-typescript.cjs');

module.exports = async function startStackForRun() {
  // The processes of a stack run what was built.
  execFileSync(process.execPath, [join(__dirname, '../../embedded/bin/prepare.mjs')], { stdio: 'inherit' });

  const { publishTestStack } = require('@sabia/testkit/config');
  const { removeAbandonedHomes } = require('@sabia/testkit/run-homes');
  const { fetchTestPrograms } = require('@sabia/testkit/softphone/fetch-programs');
  const { spawnStack } = require('@sabia/testkit/stack-process');

  await removeAbandonedHomes();
  const started = Date.now();
  const stack = await spawnStack({ gateways: 2, asterisk: true });
  // The supervisor then ends in its own time; its home is removed by the next run.
  const stayed = onLeaving(() => stack.signal('SIGTERM'));
  process.stderr.write('  test stack: starting\n');
  await fetchTestPrograms((message) => process.stderr.write(`  test stack: ${message}\n`));
  await stack.ready();
  publishTestStack(stack.home.path);
  process.stderr.write(`  test stack: ready after ${((Date.now() - started) / 1000).toFixed(1)} s\n`);

  globalThis.stopTestStack = async () => {
    stayed();
    await stack.end();
  };
};
