import { prepare, PrepareError } from './prepare.mjs';
import { reasonNotToStart } from './preflight.mjs';

const help = `npm start [-- options]

  --fresh       begin with an empty home (the cache of fetched programs is kept)
  --switches N  start N Asterisk nodes (default 1, at most 8)
  --edges N     start N SIP edges before them (default 1, at most 8)
  --help        show this

  SABIA_HOME          where everything is kept (default .sabia in the project)
  SABIA_PORT          port of the gateway (default 8080)
  SABIA_HOST          address the gateway listens on (default 127.0.0.1)
  SABIA_CACHE         where fetched programs are kept (default $SABIA_HOME/cache)
  SABIA_GATEWAYS      number of gateways (default 1)
  SABIA_LOG_LEVEL     what of the logs is shown here (default warn; all of it is in $SABIA_HOME/logs)
  SABIA_SWITCH        asterisk or simulated (default: Asterisk where it can be had)
  SABIA_POSTGRES_URL, SABIA_NATS_URL, SABIA_REDIS_URL
                      use this server instead of an own one
`;

const startedAt = Date.now();
/** Options with a value, and the variable that says the same. */
const valued = { '--switches': 'SABIA_SWITCHES', '--edges': 'SABIA_EDGES' };
const unknown = [];
for (let rest = process.argv.slice(2); rest.length > 0; rest = rest.slice(1)) {
  const [option, value] = rest[0].split('=');
  if (option in valued) {
    process.env[valued[option]] = value ?? rest[1] ?? '';
    if (value === undefined) rest = rest.slice(1);
  } else if (!['--fresh', '--help', '-h'].includes(option)) unknown.push(rest[0]);
}

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  process.stdout.write(help);
} else if (unknown.length > 0) {
  process.stderr.write(`sabia: unknown option ${unknown.join(' ')}\n\n${help}`);
  process.exitCode = 1;
} else {
  await start();
}

async function start() {
  const reason = await reasonNotToStart();
  if (reason) return refuse(reason);
  try {
    await prepare();
  } catch (error) {
    if (error instanceof PrepareError) return refuse(error.message);
    throw error;
  }
  const {
    default: { main },
  } = await import('../dist/bundle.js');
  await main({ fresh: process.argv.includes('--fresh'), startedAt });
}

function refuse(reason) {
  process.stderr.write(`sabia: ${reason}\n`);
  process.exitCode = 1;
}
