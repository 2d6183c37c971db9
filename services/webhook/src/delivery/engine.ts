import { randomUUID } from 'node:crypto';
import { createWakeup } from '@sabia/service-kit/events/wakeup';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { hasTrouble } from '../domain/circuit';
import { judge } from '../domain/outcome';
import type { Outcome } from '../domain/outcome';
import type { SecretVault } from '../domain/secret-vault';
import { claimDeliveries } from '../storage/claims';
import type { Claim } from '../storage/claims';
import type { DeliveryMetrics } from './metrics';
import type { Recorder } from './recorder';
import type { Sender } from './sender';
import { webhookIdOf } from './webhook-id';

export interface DeliveryEngine {
  start(): void;
  /** There is something to send; without it the next poll finds it. */
  poke(): void;
  /** What is under way may finish; what takes too long is left to whoever comes when its lease has ended. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  database: Database;
  sender: Sender;
  recorder: Recorder;
  vault: SecretVault;
  metrics: DeliveryMetrics;
  log: Logger;
  now: () => Date;
  leaseMs: number;
  pollMs?: number;
  stopGraceMs?: number;
}

const largestClaim = 512;
const mostAtOnce = 2_048;

/** Sends what stands in the table `deliveries`. Replicas share the work: each takes what it can hold, for the time of a lease. */
export function createDeliveryEngine(options: EngineOptions): DeliveryEngine {
  const { database, sender, recorder, vault, metrics, log, now, leaseMs } = options;
  const { pollMs = 500, stopGraceMs = 10_000 } = options;
  const wakeup = createWakeup();
  const busy = new Map<number, number>();
  const underWay = new Set<Promise<void>>();
  let stopping = false;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!stopping) {
      const claimed = await claim().catch((error: unknown) => {
        log.warn({ err: error }, 'deliveries could not be looked after, trying again');
        return 0;
      });
      if (claimed === 0 && !stopping) {
        await wakeup.sleep(pollMs);
      }
    }
  }

  async function claim(): Promise<number> {
    const limit = Math.min(largestClaim, mostAtOnce - underWay.size);
    if (limit <= 0) {
      return 0;
    }
    const at = now();
    const token = randomUUID();
    const leaseUntil = new Date(at.getTime() + leaseMs);
    const claims = await claimDeliveries(database, { now: at, leaseUntil, token, limit, busy });
    for (const delivery of claims) {
      const work = attend(delivery, token);
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    }
    return claims.length;
  }

  async function attend(delivery: Claim, token: string): Promise<void> {
    try {
      await occupying(delivery.integrationId, deliver(delivery, token));
    } catch (error) {
      log.error(
        { err: error, delivery: delivery.id },
        'a delivery could not be made; it is due again when its lease ends',
      );
    }
  }

  /** Counted until the result is written down, so that a circuit that has just opened is seen by the next claim. */
  async function occupying<T>(integrationId: number, work: Promise<T>): Promise<T> {
    busy.set(integrationId, (busy.get(integrationId) ?? 0) + 1);
    try {
      return await work;
    } finally {
      const left = (busy.get(integrationId) ?? 1) - 1;
      if (left === 0) {
        busy.delete(integrationId);
      } else {
        busy.set(integrationId, left);
      }
      // Room for more, and perhaps the next event of the same call.
      wakeup.poke();
    }
  }

  async function deliver(delivery: Claim, token: string): Promise<void> {
    const { id, integrationId, test } = delivery;
    const base = { deliveryId: id, integrationId, token, test, troubled: hasTrouble(delivery) };
    const pointless = whyPointless(delivery);
    if (delivery.settings === null || pointless !== undefined) {
      await recorder.record({ ...base, outcome: pointless ?? dead('The integration has no webhook any more.') });
      return;
    }
    const attempt = await sender.send({
      webhookId: webhookIdOf(id),
      url: delivery.settings.url,
      headers: delivery.settings.headers,
      body: delivery.payload,
      secrets: secretsOf(delivery),
    });
    if (attempt === undefined) {
      return;
    }
    const outcome = judge(attempt, delivery, now());
    metrics.count(outcome.status, attempt.latencyMs);
    await recorder.record({ ...base, attempt, outcome });
  }

  function secretsOf({ accountId, secret, previousSecret, previousSecretUntil }: Claim): Buffer[] {
    const secrets = [vault.open(accountId, secret)];
    if (previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now()) {
      secrets.push(vault.open(accountId, previousSecret));
    }
    return secrets;
  }

  return {
    start() {
      running = run();
    },
    poke: () => wakeup.poke(),
    async stop() {
      stopping = true;
      wakeup.poke();
      await running;
      const late = setTimeout(() => {
        recorder.giveUp();
        void sender.close();
      }, stopGraceMs);
      await Promise.all(underWay);
      clearTimeout(late);
      await sender.close();
    },
  };
}

const dead = (reason: string): Outcome => ({ status: 'dead', reason, gone: false });

function whyPointless({ disabledReason, test }: Claim): Outcome | undefined {
  return disabledReason !== null && !test ? dead(`The webhook was disabled: ${disabledReason}`) : undefined;
}
