// One whole stack, with two gateways and a real Asterisk, for all acceptance tests of a run.
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const onLeaving = require('./on-leaving.cjs');

require('./register-typescript.cjs');

/** The one that every stack has, and for numbers that it has no line for, one that only a test can answer at. */
async function declareTrunks() {
  const { publishSpareCarrier } = require('@sabia/testkit/config');
  const { freePort } = require('@sabia/embedded/process/ports');
  const carrier = { port: await freePort(), username: 'sabia', password: 'spare-secret', callerId: '551130001000' };
  publishSpareCarrier(carrier);
  const { port, ...credentials } = carrier;
  const spare = { name: 'spare', format: '0national', server: `127.0.0.1:${port}`, qualifySeconds: 0, ...credentials };
  return [{ name: 'trunk-test' }, spare];
}

module.exports = async function startStackForRun() {
  // The processes of a stack run what was built.
  execFileSync(process.execPath, [join(__dirname, '../../embedded/bin/prepare.mjs')], { stdio: 'inherit' });

  const { publishTestStack } = require('@sabia/testkit/config');
  const { removeAbandonedHomes } = require('@sabia/testkit/run-homes');
  const { fetchTestPrograms } = require('@sabia/testkit/softphone/fetch-programs');
  const { spawnStack } = require('@sabia/testkit/stack-process');

  await removeAbandonedHomes();
  const started = Date.now();
  // Short enough for a test to wait until a call that nobody answers is given up.
  const settings = { RING_TIMEOUT_SECONDS: '15', TRUNKS: JSON.stringify(await declareTrunks()) };
  const stack = await spawnStack({ gateways: 2, asterisk: true, settings });
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
