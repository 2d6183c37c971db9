import { randomUUID } from 'node:crypto';
import { createLogger } from '@sabia/service-kit/logging';
import type { Attempt } from '../domain/outcome';
import type { Receiver } from '../domain/receiver';
import { createSecretVault } from '../domain/secret-vault';
import type { NewDelivery } from '../storage/deliveries';
import { createDeliveryEngine } from './engine';
import type { EngineOptions } from './engine';

const receiver = (accountId: number, integrationId: number): Receiver => ({
  ...{ integrationId, accountId, disabledReason: null, previousSecrets: [] },
  ...{ consecutiveFailures: 0, circuitLevel: 0, pausedUntil: null, failingSince: null, lastFailureAt: null },
  settings: {
    url: `http://receiver-${integrationId}.example.com/`,
    version: '1.0.0',
    types: ['channel-hangup'],
    headers: {},
  },
  secret: { keyId: null, bytes: Buffer.alloc(24) },
});

const deliveryTo = ({ integrationId }: Receiver): NewDelivery => ({
  ...{ id: randomUUID(), integrationId, eventId: randomUUID(), eventType: 'channel-hangup' },
  ...{ callId: null, payload: '{}', traceparent: null },
});

/** An engine whose requests are answered by the test. */
function openEngine({ leaseMs = 45_000 } = {}) {
  const underWay: { origin: string; done: (attempt: Attempt) => void }[] = [];
  const queries: { statement: string; values: unknown[] }[] = [];
  const engine = createDeliveryEngine({
    database: {
      query: (statement: string, values: unknown[]) => {
        queries.push({ statement, values });
        return Promise.resolve([]);
      },
    },
    outbox: {},
    sender: {
      close: () => Promise.resolve(),
      send: (_webhook: unknown, { origin }: { origin: string }, done: (attempt: Attempt) => void) =>
        void underWay.push({ origin, done }),
    },
    vault: createSecretVault([]),
    metrics: { count: () => undefined },
    beginAttempt: () => undefined,
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => new Date(),
    leaseMs,
  } as unknown as EngineOptions);
  return {
    engine,
    queries,
    underWay,
    send: (receivers: Receiver[], count: number) =>
      engine.accept(
        receivers.flatMap((each) => Array.from({ length: count }, () => deliveryTo(each))),
        receivers,
      ),
    answerFirst() {
      underWay.shift()!.done({ at: new Date(), latencyMs: 1, status: 200 });
    },
  };
}

const receivers = (accountId: number, count: number) =>
  Array.from({ length: count }, (_, index) => receiver(accountId, accountId * 1_000 + index));
const countOf = (underWay: { origin: string }[], accountId: number): number =>
  underWay.filter(({ origin }) => origin.startsWith(`http://receiver-${accountId}`)).length;

test('an account with many slow receivers gets a quarter of the requests that may be under way', () => {
  const { underWay, send } = openEngine();
  send(receivers(1, 200), 64);
  expect(underWay).toHaveLength(2_048);
  send(receivers(2, 1), 64);
  expect(countOf(underWay, 2)).toBe(64);
});

test('slots that become free go to waiting lanes in turn', () => {
  const { underWay, send, answerFirst } = openEngine();
  for (const accountId of [1, 2, 3, 4]) {
    send(receivers(accountId, 40), 100);
  }
  expect(underWay).toHaveLength(8_192);
  send(receivers(5, 2), 100);
  send(receivers(6, 1), 100);
  expect(countOf(underWay, 5) + countOf(underWay, 6)).toBe(0);
  for (let count = 0; count < 18; count += 1) {
    answerFirst();
  }
  expect(underWay).toHaveLength(8_192);
  expect(countOf(underWay, 6)).toBeGreaterThanOrEqual(3);
  const ofFive = underWay.filter(({ origin }) => origin.startsWith('http://receiver-5'));
  expect(new Set(ofFive.map(({ origin }) => origin)).size).toBe(2);
});

test('claimed deliveries have another lease token than new ones, so that a later event of their call waits in the table', async () => {
  const { engine, queries } = openEngine();
  engine.start();
  await engine.stop();
  const claim = queries.find(({ statement }) => statement.includes('SKIP LOCKED'));
  const { owner } = engine.offer([]);
  expect(claim!.values).not.toContain(owner);
});

test('deliveries that waited too long behind a receiver that hangs go back to the table in one statement', async () => {
  const { engine, queries, send, underWay, answerFirst } = openEngine({ leaseMs: 3_000 });
  send(receivers(1, 1), 300);
  expect(underWay).toHaveLength(64);
  const patienceIsOverAt = performance.now() + 1_100;
  while (performance.now() < patienceIsOverAt) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  answerFirst();
  const returns = queries.filter(({ statement }) => statement.includes('SET due_at = $3, lease_token = NULL'));
  expect(returns).toHaveLength(1);
  expect(engine.offer(receivers(1, 1)).integrationIds.size).toBe(0);
});
