import { billingEvents } from '@sabia/protos/events/billing';
import { createOutbox } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { createBalanceTeller } from '../src/events/tell-balances';
import { openStage } from './stage';
import type { Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const log = createLogger({ name: 'test', level: 'silent' });
const startTeller = () => {
  const outbox = createOutbox({ poke: () => undefined });
  const teller = createBalanceTeller({ database: stage.database, outbox, log, gatherMs: 20, sweepMs: 600_000 });
  teller.start();
  return teller;
};

async function heard(accountId: number): Promise<{ balance: number; reserved: number; available: number }[]> {
  const rows = await stage.database.query<{ payload: Buffer }>(
    'SELECT payload FROM outbox WHERE account_id = $1 AND type = $2 ORDER BY position',
    [accountId, billingEvents.balanceChanged.type],
  );
  return rows.map(({ payload }) => billingEvents.balanceChanged.decode(payload));
}

test('an account is told its balance when it has changed; many changes at once share an event', async () => {
  const teller = startTeller();
  const accountId = 71;
  await stage.grant(accountId, 50);
  teller.tellBalance(accountId);
  await eventually(async () => (await heard(accountId)).length === 1);
  expect(await heard(accountId)).toEqual([{ balance: 500_000, reserved: 0, available: 500_000 }]);
  await Promise.all(Array.from({ length: 20 }, () => stage.grant(accountId, 1)));
  for (let count = 0; count < 20; count += 1) teller.tellBalance(accountId);
  await eventually(async () => (await heard(accountId)).at(-1)?.balance === 700_000);
  expect((await heard(accountId)).length).toBeLessThan(5);
  // Nothing has changed.
  const before = (await heard(accountId)).length;
  teller.tellBalance(accountId);
  await stage.grant(72, 1);
  teller.tellBalance(72);
  await eventually(async () => (await heard(72)).length === 1);
  expect(await heard(accountId)).toHaveLength(before);
  await teller.stop();
});

test('what a process that died has not told is told by the next one', async () => {
  const accountId = 73;
  await stage.grant(accountId, 25);
  expect(await heard(accountId)).toEqual([]);
  const tellers = [startTeller(), startTeller()];
  await eventually(async () => (await heard(accountId)).length > 0);
  await Promise.all(tellers.map((teller) => teller.stop()));
  expect(await heard(accountId)).toEqual([{ balance: 250_000, reserved: 0, available: 250_000 }]);
});
