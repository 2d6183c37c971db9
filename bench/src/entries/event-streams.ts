import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { billingEvents } from '@sabia/protos/events/billing';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { Pool } from 'pg';
import type { BenchStack, OpenStack } from '../stack';
import type { TrialEntry } from '../trial';

const streams = 5_000;
/** Clients that open a stream and read nothing. */
const idle = 500;
const opensAtOnce = 50;
const events = 100;
const eventPauseMs = 200;
const mostMegabytes = 400;
const settleMs = 3_000;
/** How long one event may take to all of them. */
const longestMs = 2_000;

/** Thousands of streams on one gateway, all of one account, so that each event goes to all of them. */
export function eventStreams(openStack: OpenStack): TrialEntry[] {
  return [{ name: `${streams} event streams on one gateway`, run: async (say) => hold(await openStack(), say) }];
}

async function hold(stack: BenchStack, say: (line: string) => void) {
  const nats = await connect({ servers: stack.natsUrl });
  const accountId = await accountOf(stack);
  const readers: Reader[] = [];
  try {
    await delay(settleMs);
    const before = megabytesOf(stack);
    while (readers.length < streams) {
      readers.push(...(await Promise.all(Array.from({ length: opensAtOnce }, () => open(stack)))));
    }
    await delay(settleMs);
    const opened = megabytesOf(stack);
    say(`gateway: ${before} MB before, ${opened} MB with ${streams} streams`);
    readers.slice(0, idle).forEach(({ socket }) => socket.pause());
    const reading = readers.slice(idle);
    const times: number[] = [];
    let most = opened;
    for (let number = 1; number <= events; number += 1) {
      const beganAt = performance.now();
      await publish(nats, accountId, number);
      while (reading.some(({ heard }) => heard() < number)) {
        await delay(5);
        if (performance.now() - beganAt > 60_000) throw new Error('an event did not reach every stream');
      }
      times.push(performance.now() - beganAt);
      most = Math.max(most, megabytesOf(stack));
      await delay(eventPauseMs);
    }
    times.sort((a, b) => a - b);
    const [median, last] = [times[times.length / 2]!, times.at(-1)!].map(Math.round);
    const perStream = (((opened - before) * 1024) / streams).toFixed(0);
    return {
      floor: `${before} MB without streams`,
      measured: `${opened} MB open (${perStream} kB each), ${most} MB at most under ${events} events with ${idle} clients that read nothing; an event at all of them after ${median} ms (median), ${last} ms (slowest)`,
      target: `at most ${mostMegabytes} MB, ${longestMs} ms`,
      kept: most <= mostMegabytes && last! <= longestMs,
    };
  } finally {
    readers.forEach(({ socket }) => socket.destroy());
    await nats.close();
  }
}

interface Reader {
  socket: Socket;
  /** Events that have arrived. */
  heard(): number;
}

/** As little as possible: the clients share the machine with the gateway. */
async function open({ gatewayUrl, token }: BenchStack): Promise<Reader> {
  const { hostname, port } = new URL(gatewayUrl);
  const socket = connectSocket({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${token}\r\n\r\n`);
  let heard = 0;
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('data', (bytes: Buffer) => {
      if (bytes.subarray(0, 15).toString() === 'HTTP/1.1 200 OK') resolve();
      else reject(new Error(bytes.toString()));
    });
  });
  // Each event is one write of the gateway, and they come slowly: a chunk holds one, or the end of one.
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.includes('event: balance.changed') ? 1 : 0;
  });
  await opened;
  return { socket, heard: () => heard };
}

async function publish(nats: NatsConnection, accountId: number, number: number): Promise<void> {
  const { type, encode } = billingEvents.balanceChanged;
  const id = randomUUID();
  const payload = Buffer.from(encode({ balance: number, reserved: 0, available: number }));
  const envelope = Envelope.fromPartial({ id, type, version: 1, accountId, occurredAt: new Date(), payload });
  await nats.jetstream().publish(`sabia-live.${accountId}.${type}`, Envelope.encode(envelope).finish(), { msgID: id });
}

async function accountOf({ postgresUrl, domain }: BenchStack): Promise<number> {
  const pool = new Pool({ connectionString: postgresUrl, max: 1 });
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM identity.accounts WHERE domain = $1', [domain]);
  await pool.end();
  return Number(rows[0]!.id);
}

/** The resident memory of the gateway. */
function megabytesOf(stack: BenchStack): number {
  const status = readFileSync(`/proc/${stack.pidOf('gateway')}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
