import { setTimeout as delay } from 'node:timers/promises';
import type { Receiver } from './receiver';
import type { Hook, WebhookLoad } from './webhook-load';

/** Further receivers beside the one that is measured, each with a backlog and a steady rate of events of its own. */
export interface Neighbours {
  urls: string[];
  /** The account they belong to; by default that of the receiver that is measured. */
  token?: string | undefined;
}

const backlog = 500;
const perSecond = 25;
const trickleMs = 200;
/** Those that are fine have worked through their backlog by then, and the circuit of a dead one is open. */
const settleMs = 2_000;

/** A port without a listener. */
const deadUrl = 'http://127.0.0.1:1/';

export const deadNeighbour = (token: string): Neighbours => ({ urls: [deadUrl], token });

export const hangingNeighbour = ({ origin }: Receiver, token: string): Neighbours => ({
  urls: [`${origin}/hang`],
  token,
});

export const badNeighbours = ({ origin }: Receiver, token?: string): Neighbours => ({
  urls: [`${origin}/hang`, `${origin}/slow`, deadUrl],
  token,
});

/** The same number of receivers, with the same events. */
export const fineNeighbours = ({ origin }: Receiver, token?: string): Neighbours => ({
  urls: Array.from({ length: 3 }, () => `${origin}/fine`),
  token,
});

export async function beside<T>(load: WebhookLoad, { urls, token }: Neighbours, work: () => Promise<T>): Promise<T> {
  const hooks: Hook[] = [];
  let trickle: NodeJS.Timeout | undefined;
  try {
    for (const url of urls) hooks.push(await load.hook(url, token));
    await Promise.all(hooks.map((hook) => load.publish(hook, backlog)));
    await delay(settleMs);
    const some = (perSecond * trickleMs) / 1000;
    trickle = setInterval(() => hooks.forEach((hook) => void load.publish(hook, some)), trickleMs);
    return await work();
  } finally {
    clearInterval(trickle);
    for (const hook of hooks) await load.forget(hook);
  }
}
