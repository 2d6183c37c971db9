import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { Entry, Stage } from '../harness';
import { openReceiver } from '../receiver';
import type { Receiver } from '../receiver';
import type { BenchStack } from '../stack';
import { openWebhookLoad } from '../webhook-load';
import type { Hook, WebhookLoad } from '../webhook-load';

const target = 0.9;
const besideTarget = 0.95;
const steadyPerSecond = 500;
const badPerSecond = 25;
const badBacklog = 500;

/** From an event on NATS to a signed POST at its receiver, with a durable row before it and the result in it afterwards. */
export function webhooks(stack: BenchStack): Entry[] {
  return [
    {
      name: 'webhooks: event → durable row → signed POST → result, out of a backlog',
      floorName: 'bare undici Pool + HMAC',
      target,
      prepare: async () => {
        const { receiver, load, close } = await open(stack);
        const hook = await load.hook('/count');
        const product = draining(load, hook);
        // The floor sends the very same bytes.
        await load.drain(hook, 1);
        const { firstBody } = await receiver.look();
        const bare = openBarePost(receiver, firstBody);
        return { floor: bare.job, product, close: async () => void (await bare.close(), await close()) };
      },
    },
    {
      name: `webhooks: event → receiver at ${steadyPerSecond} a second`,
      floorName: 'asked for',
      prepare: async () => {
        const { load, close } = await open(stack);
        const hook = await load.hook('/late');
        const paced = { run: (durationMs: number) => load.pace(hook, steadyPerSecond, durationMs) };
        const asked = async () => ({ perSecond: steadyPerSecond, p50: 0, p99: 0, errors: [] });
        return { floor: { run: asked }, product: paced, close };
      },
    },
    {
      name: 'webhooks: a healthy receiver beside one that hangs and one that is slow',
      floorName: 'alone',
      target: besideTarget,
      prepare: async () => besideBadOnes(await open(stack)),
    },
  ];
}

interface Opened {
  receiver: Receiver;
  load: WebhookLoad;
  close(): Promise<void>;
}

async function open(stack: BenchStack): Promise<Opened> {
  const receiver = await openReceiver();
  const load = await openWebhookLoad(stack, receiver);
  return {
    receiver,
    load,
    close: async () => {
      await load.close();
      await receiver.close();
    },
  };
}

/** About as many events as fit into the time of a turn, by the pace of the turn before. */
function draining(load: WebhookLoad, hook: Hook) {
  let perSecond = 1_000;
  return {
    async run(durationMs: number) {
      const sample = await load.drain(hook, Math.round((perSecond * durationMs) / 1000));
      perSecond = sample.perSecond;
      return sample;
    },
  };
}

async function besideBadOnes({ load, close }: Opened): Promise<Stage> {
  const healthy = draining(load, await load.hook('/count'));
  return {
    floor: healthy,
    product: {
      async run(durationMs) {
        const bad = [await load.hook('/hang'), await load.hook('/slow')];
        for (const hook of bad) await load.publish(hook, badBacklog);
        const trickle = setInterval(() => bad.forEach((hook) => void load.publish(hook, badPerSecond / 5)), 200);
        try {
          return await healthy.run(durationMs);
        } finally {
          clearInterval(trickle);
          for (const hook of bad) await load.forget(hook);
        }
      },
    },
    close,
  };
}

function openBarePost({ origin }: Receiver, body: string) {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 });
  const secret = randomBytes(32);
  return {
    job: async () => {
      const id = `msg_${randomUUID()}`;
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
      const answer = await pool.request({
        method: 'POST',
        path: '/count',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
        body,
      });
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
      await answer.body.dump();
    },
    close: () => pool.close(),
  };
}
