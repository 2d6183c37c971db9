// Events that a consumer gave up: `list [consumer]`, or `replay <sequence>` once the cause is repaired.
// NATS is the one of NATS_URL, else of the stack that runs on this machine.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { connectNats } = require('@sabia/service-kit/events/nats/connection');
const { listDeadLetters, replayDeadLetter } = require('@sabia/service-kit/events/consumer/dead-letters');
const { createLogger } = require('@sabia/service-kit/logging');

const usage = 'usage: dead-letters [list [consumer] | replay <sequence>]';

function natsUrl() {
  if (process.env.NATS_URL) return process.env.NATS_URL;
  const home = process.env.SABIA_HOME ?? join(import.meta.dirname, '../../../.sabia');
  try {
    return JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')).natsUrl;
  } catch {
    throw new Error('set NATS_URL, or start the stack first');
  }
}

async function main([command = 'list', argument]) {
  const sequence = Number(argument);
  if (command !== 'list' && !(command === 'replay' && Number.isSafeInteger(sequence) && sequence > 0)) {
    throw new Error(usage);
  }
  const nats = connectNats({
    url: natsUrl(),
    name: 'sabia-dead-letters',
    log: createLogger({ name: 'dead-letters', level: 'error' }),
  });
  try {
    if (command === 'replay') {
      await replayDeadLetter(nats, sequence);
      console.log(`event ${sequence} was published again`);
      return;
    }
    const letters = await listDeadLetters(nats, { durable: argument });
    for (const { sequence: place, durable, deadAt, tries, reason, event } of letters) {
      console.log(
        `${place}  ${deadAt.toISOString()}  ${durable}  ${event?.type ?? 'no event'}  ${tries} tries: ${reason}`,
      );
    }
    console.log(`${letters.length} dead letters`);
  } finally {
    await nats.close();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
