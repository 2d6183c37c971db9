// One whole stack, with two gateways and a real Asterisk, for the acceptance tests of a run that share it.
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const onLeaving = require('./on-leaving.cjs');
const { filesThatImport, PROGRAMS, STACK } = require('./selection.cjs');

require('./register-typescript.cjs');

/** The trunk of every stack; a second one, for the other numbers, whose carrier is a test; and one to a phone that a test starts. */
async function declareTrunks() {
  const { publishSpareCarrier } = require('@sabia/testkit/config');
  const { freePort } = require('@sabia/embedded/process/ports');
  const callerId = '551130001000';
  const mobile = { port: await freePort(), prefix: '55119777701' };
  const carrier = { port: await freePort(), username: 'sabia', password: 'spare-secret', callerId };
  publishSpareCarrier({ ...carrier, mobile });
  const { port, ...credentials } = carrier;
  const spare = { name: 'spare', format: '0national', server: `127.0.0.1:${port}`, qualifySeconds: 0, ...credentials };
  const toMobile = {
    ...{ name: 'mobile', format: 'e164', server: `127.0.0.1:${mobile.port}`, qualifySeconds: 0, callerId },
    // Cheaper than the others, and so tried first.
    routes: [{ prefix: mobile.prefix, costPerMinute: 0.01 }],
  };
  return [{ name: 'trunk-test' }, spare, toMobile];
}

module.exports = async function startStackForRun() {
  // The processes of a stack run what was built.
  execFileSync(process.execPath, [join(__dirname, '../../embedded/bin/prepare.mjs')], { stdio: 'inherit' });

  const { removeAbandonedHomes } = require('@sabia/testkit/run-homes');
  const { fetchTestPrograms } = require('@sabia/testkit/softphone/fetch-programs');
  await removeAbandonedHomes();
  const progress = (message) => process.stderr.write(`  test stack: ${message}\n`);
  await Promise.all([
    filesThatImport('acceptance', STACK).length > 0 && start(progress),
    filesThatImport('acceptance', PROGRAMS).length > 0 && fetchTestPrograms(progress),
  ]);
};

function shape() {
  const { testFleet } = require('@sabia/testkit/config');
  const { switches, edges } = testFleet();
  return { SABIA_SWITCHES: String(switches), SABIA_EDGES: String(edges) };
}

async function start(progress) {
  const { publishTestStack } = require('@sabia/testkit/config');
  const { spawnStack } = require('@sabia/testkit/stack-process');
  const started = Date.now();
  progress('starting');
  // Short enough for a test to wait until an unanswered call is given up.
  const settings = { RING_TIMEOUT_SECONDS: '15', TRUNKS: JSON.stringify(await declareTrunks()), ...shape() };
  const stack = await spawnStack({ gateways: 2, asterisk: true, settings });
  // The supervisor then ends in its own time; its home is removed by the next run.
  const stayed = onLeaving(() => stack.signal('SIGTERM'));
  await stack.ready();
  publishTestStack(stack.home.path);
  progress(`ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);

  globalThis.stopTestStack = async () => {
    stayed();
    await stack.end();
  };
}
