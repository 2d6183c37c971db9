// Calls the numbers of a list, one after the other: node dialer.mjs numbers.txt
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const { API, TOKEN, EXTENSION = '1000' } = process.env;

async function ask(path, options = {}) {
  for (;;) {
    const headers = { Authorization: TOKEN, 'Content-Type': 'application/json', ...options.headers };
    const answer = await fetch(API + path, { ...options, headers });
    if (answer.status !== 429 && answer.status !== 503) return answer.json();
    await wait(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}

for (const number of readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean)) {
  const placed = await ask('/calls', {
    method: 'POST',
    headers: { 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ extension: EXTENSION, called: number }),
  });
  if (placed.error) {
    console.log(number, placed.error.code);
    continue;
  }
  let call;
  do {
    await wait(2000);
    call = await ask(`/calls/${placed.id}`);
  } while (call.status !== 'ended');
  console.log(number, call.hangup_cause, call.duration);
}
