import { randomUUID } from 'node:crypto';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import fc from 'fast-check';
import { applyNotification } from '../src/payments/notifications';
import { expireHolds } from '../src/storage/hold-credit';
import { checkBooks, checkEnd } from './books';
import type { World } from './books';
import { openStage } from './stage';
import type { Stage } from './stage';
import { createWorker } from './worker';
import type { Crash, Worker } from './worker';

const workerCount = 6;
const callsPerAccount = 8;

type Action =
  | { kind: 'reserve' | 'release' | 'settle'; account: number; call: number; seconds: number }
  | { kind: 'extend'; account: number; call: number; seconds: number }
  | { kind: 'ended'; account: number; calls: number[]; again: boolean }
  | { kind: 'top-up'; account: number; repeated: number }
  | { kind: 'refund'; account: number; by: 'us' | 'provider' | 'parts' | 'chargeback' | 'reversal' }
  | { kind: 'expire'; account: number };

interface Step {
  action: Action;
  /** Where the process dies, if it does: before its transaction is committed, or after it, before the response is sent. */
  crash: Crash;
}

const account = fc.nat(2);
const call = fc.nat(callsPerAccount - 1);
const seconds = fc.integer({ min: 1, max: 400 });
const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reserve' as const), account, call, seconds }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('extend' as const), account, call, seconds }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), account, call, seconds }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), account, call, seconds }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('ended' as const),
      account,
      calls: fc.array(call, { minLength: 1, maxLength: 5 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('top-up' as const), account, repeated: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      account,
      by: fc.constantFrom(
        'us' as const,
        'provider' as const,
        'parts' as const,
        'chargeback' as const,
        'reversal' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), account }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  action: actions,
  crash: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Crash>('no') },
    { weight: 1, arbitrary: fc.constant<Crash>('before commit') },
    { weight: 1, arbitrary: fc.constant<Crash>('after commit') },
  ),
});

describe('random interleavings on several workers', () => {
  let stage: Stage;
  let workers: Worker[];
  let round = 0;
  let clock = Date.parse('2026-03-10T12:00:00Z');
  const now = () => new Date(clock);

  beforeAll(async () => {
    stage = await openStage({ now });
    await stage.setPrice('0.37', 30, 6);
    workers = Array.from({ length: workerCount }, () => createWorker(stage, now));
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await stage.close();
  });

  test('calls never take a balance below zero, ledger sums to zero, each call charged once, each charge credited at most once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), {
          minLength: workerCount,
          maxLength: workerCount,
        }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 3, maxLength: 3 }),
        async (plans, credits) => {
          round++;
          const world = await createWorld(credits);
          await Promise.all(plans.map((plan, at) => perform(workers[at]!, plan, world)));
          await checkBooks(stage.database, world.accounts);
          // Everything ends some day, and the end of every call is told at least once.
          await Promise.all(
            workers.map((worker) =>
              worker.deliver(world.calls.flat().map((id, at) => endedEvent(world, id, at, randomUUID()))),
            ),
          );
          await checkBooks(stage.database, world.accounts);
          await checkEnd(stage.database, world);
          await checkRated(world);
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });

  async function checkRated({ accounts, calls }: World): Promise<void> {
    const rows = await stage.database.query<{ rated: number }>(
      `SELECT count(*) AS rated FROM outbox WHERE type = 'billing.call.rated' AND account_id = ANY ($1)`,
      [accounts],
    );
    expect(rows).toEqual([{ rated: calls.flat().length }]);
  }

  async function createWorld(credits: number[]): Promise<World> {
    const accounts = [0, 1, 2].map((n) => round * 10 + n);
    for (const [at, credit] of credits.entries()) {
      if (credit > 0) {
        await stage.call('grantCredit', { accountId: accounts[at]!, amount: credit, key: 'start', description: '' });
      }
    }
    return {
      accounts,
      calls: accounts.map(() => Array.from({ length: callsPerAccount }, () => newEventId())),
      eventIds: new Map(),
      charges: new Set(),
      granted: credits.reduce((sum, credit) => sum + credit, 0),
    };
  }

  function endedEvent(
    world: World,
    callId: string,
    at: number,
    id: string,
  ): ReceivedEvent<typeof telephonyEvents.callEnded> {
    const owner = world.calls.findIndex((calls) => calls.includes(callId));
    return {
      id,
      type: telephonyEvents.callEnded.type,
      version: 1,
      accountId: world.accounts[owner]!,
      occurredAt: now(),
      deliveryCount: 1,
      message: CallEnded.fromPartial({
        call: {
          callId,
          callType: 'outbound',
          to: '5511987654321',
          durationSeconds: (at * 37) % 300,
          endedAt: now(),
        },
      }),
    };
  }

  async function perform(worker: Worker, plan: Step[], world: World): Promise<void> {
    for (const { action, crash } of plan) {
      await worker.crashing(crash, () => act(worker, action, world));
      // A client that lost the response asks again.
      if (crash === 'after commit') {
        await worker.crashing('no', () => act(worker, action, world));
      }
    }
  }

  async function act(worker: Worker, action: Action, world: World): Promise<void> {
    const accountId = world.accounts[action.account]!;
    switch (action.kind) {
      case 'reserve':
        await worker.call('reserveCredit', {
          callId: world.calls[action.account]![action.call]!,
          accountId,
          destination: '5511987654321',
        });
        return;
      case 'extend':
        await worker.call('extendReservation', {
          callId: world.calls[action.account]![action.call]!,
          seconds: action.seconds,
        });
        return;
      case 'release':
        await worker.call('releaseReservation', { callId: world.calls[action.account]![action.call]! });
        return;
      case 'settle':
        await worker.call('settleReservation', {
          callId: world.calls[action.account]![action.call]!,
          durationSeconds: action.seconds,
        });
        return;
      case 'ended': {
        const events = action.calls.map((n) => {
          const callId = world.calls[action.account]![n]!;
          const id = action.again ? (world.eventIds.get(callId) ?? randomUUID()) : randomUUID();
          world.eventIds.set(callId, id);
          return endedEvent(world, callId, n, id);
        });
        await worker.deliver(events);
        return;
      }
      case 'top-up': {
        const { id, paymentId } = await worker.call(
          'createCharge',
          { paymentMethod: PaymentMethod.PIX, dueDate: '2026-03-12', amount: 60_000 },
          { accountId },
        );
        world.charges.add(id);
        const notification = randomUUID();
        await Promise.all(
          Array.from({ length: action.repeated }, (_, n) =>
            applyNotification(worker.collection, 'sandbox', {
              id: n === 0 ? notification : n === 1 ? notification : randomUUID(),
              paymentId: paymentId!,
              event: n === 2 ? 'confirmed' : 'received',
              amount: 60_000,
            }),
          ),
        );
        return;
      }
      case 'refund': {
        const chargeId = [...world.charges].at(-1) ?? 0;
        if (action.by === 'us') {
          await worker.call('refundCharge', { accountId, chargeId });
          return;
        }
        await applyNotification(worker.collection, 'sandbox', {
          id: randomUUID(),
          paymentId: `sandbox_${chargeId}`,
          event: {
            provider: 'refunded' as const,
            parts: 'partially refunded' as const,
            chargeback: 'charged back' as const,
            reversal: 'chargeback reversed' as const,
          }[action.by],
          amount: 60_000,
          refunded: 12_345,
        });
        return;
      }
      case 'expire':
        clock += 400_000;
        await expireHolds(worker.database, now());
    }
  }
});
