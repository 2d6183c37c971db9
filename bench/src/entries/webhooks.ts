import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { signUp } from '../filled-account';
import type { Entry, Stage } from '../harness';
import { median } from '../load';
import { badNeighbours, beside, deadNeighbour, fineNeighbours, hangingNeighbour } from '../neighbours';
import type { Neighbours } from '../neighbours';
import { openReceiver } from '../receiver';
import type { Receiver } from '../receiver';
import type { OpenStack } from '../stack';
import type { TrialEntry } from '../trial';
import { openWebhookLoad } from '../webhook-load';
import type { Hook, PacedSample, WebhookLoad } from '../webhook-load';

const target = 0.4;
const besideTarget = 0.95;
const besideRounds = 9;
const steadyPerSecond = 500;
const latencyRounds = 7;
const latencyTurnMs = 4_000;
const longestP99 = 100;

/** From an event on NATS to a signed POST at its receiver, with a durable row before it and the result in it afterwards. */
export function webhooks(openStack: OpenStack): Entry[] {
  return [
    {
      name: 'webhooks: event → durable row → signed POST → result, out of a backlog',
      floorName: 'bare undici Pool + HMAC',
      target,
      prepare: async () => {
        const { receiver, load, close } = await open(openStack);
        const hook = await load.hook(`${receiver.origin}/count`);
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
        const { receiver, load, close } = await open(openStack);
        const hook = await load.hook(`${receiver.origin}/late`);
        const paced = { run: (durationMs: number) => load.pace(hook, steadyPerSecond, durationMs) };
        const asked = async () => ({ count: 0, perSecond: steadyPerSecond, p50: 0, p99: 0, errors: [] });
        return { floor: { run: asked }, product: paced, close };
      },
    },
    besideOne(openStack, 'dead', (_receiver, token) => deadNeighbour(token)),
    besideOne(openStack, 'hanging', hangingNeighbour),
    {
      name: 'webhooks: a healthy receiver beside a hanging, a slow and a dead one of its own account',
      floorName: 'beside three of its own account that are fine',
      target: besideTarget,
      rounds: besideRounds,
      prepare: async () => {
        const opened = await open(openStack);
        const { receiver } = opened;
        return neighbourhood(opened, { floor: fineNeighbours(receiver), product: badNeighbours(receiver) });
      },
    },
    {
      // Without a target: each event is also matched against the three others, and it is written down why they did not get it.
      name: 'webhooks: the same three against none: with the explaining of what they did not get',
      floorName: 'alone',
      prepare: async () => {
        const opened = await open(openStack);
        return neighbourhood(opened, { product: badNeighbours(opened.receiver) });
      },
    },
  ];
}

function besideOne(
  openStack: OpenStack,
  kind: string,
  neighbour: (receiver: Receiver, token: string) => Neighbours,
): Entry {
  return {
    name: `webhooks: a healthy receiver beside a ${kind} one of another account`,
    floorName: 'alone',
    target: besideTarget,
    rounds: besideRounds,
    prepare: async () => {
      const opened = await open(openStack);
      const { token } = await signUp(await openStack());
      return neighbourhood(opened, { product: neighbour(opened.receiver, token) });
    },
  };
}

/** The delay of events at a rate below the capacity of the machine. */
export function webhookDelays(openStack: OpenStack): TrialEntry {
  return {
    name: `webhooks: event → receiver at ${steadyPerSecond} a second beside one that hangs, one that is slow and one that is dead`,
    run: async (say) => {
      const { receiver, load, close } = await open(openStack);
      const { token } = await signUp(await openStack());
      const hook = await load.hook(`${receiver.origin}/late`);
      const turn = () => load.pace(hook, steadyPerSecond, latencyTurnMs);
      const alone: PacedSample[] = [];
      const besideFine: PacedSample[] = [];
      const besideBad: PacedSample[] = [];
      try {
        await turn();
        for (let round = 1; round <= latencyRounds; round += 1) {
          alone.push(await turn());
          besideFine.push(await beside(load, fineNeighbours(receiver, token), turn));
          besideBad.push(await beside(load, badNeighbours(receiver, token), turn));
          const [none, fine, bad] = [alone, besideFine, besideBad].map((samples) => write(samples.slice(-1)));
          say(`  round ${round}/${latencyRounds}: alone ${none}, beside fine ones ${fine}, beside bad ones ${bad}`);
        }
      } finally {
        await close();
      }
      const errors = [...alone, ...besideFine, ...besideBad].flatMap((sample) => sample.errors);
      // Each round against itself: what else the machine does changes from one to the next.
      const longer = median(besideBad.map(({ mean }, round) => mean / besideFine[round]!.mean));
      return {
        floor: `beside three fine ones: ${write(besideFine)}; alone: ${write(alone)}`,
        measured: [`${write(besideBad)}, ${longer.toFixed(2)} of beside fine ones`, ...errors].join('; '),
        target: `mean < 5 % longer than beside fine ones, p99 ≤ ${longestP99} ms`,
        kept: errors.length === 0 && longer < 1.05 && middle(besideBad).p99 <= longestP99,
      };
    },
  };
}

const middle = (samples: PacedSample[]) => ({
  mean: median(samples.map(({ mean }) => mean)),
  p50: median(samples.map(({ p50 }) => p50)),
  p99: median(samples.map(({ p99 }) => p99)),
});

function write(samples: PacedSample[]): string {
  const { mean, p50, p99 } = middle(samples);
  return `mean ${mean.toFixed(1)}, p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} ms`;
}

interface Opened {
  receiver: Receiver;
  load: WebhookLoad;
  close(): Promise<void>;
}

async function open(openStack: OpenStack): Promise<Opened> {
  const receiver = await openReceiver();
  const load = await openWebhookLoad(await openStack(), receiver);
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

/** The same receiver with the same events in both turns; only the neighbours differ. */
async function neighbourhood(
  { receiver, load, close }: Opened,
  { floor, product }: { floor?: Neighbours; product: Neighbours },
): Promise<Stage> {
  const healthy = draining(load, await load.hook(`${receiver.origin}/count`));
  const turn = (neighbours: Neighbours) => ({
    run: (durationMs: number) => beside(load, neighbours, () => healthy.run(durationMs)),
  });
  return { floor: floor === undefined ? healthy : turn(floor), product: turn(product), close };
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
