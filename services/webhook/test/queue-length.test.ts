import { measureQueue } from '../src/storage/queue-length';
import { callEvent, integrate, newAccount, openHome } from './harness';
import type { Home } from './harness';

let home: Home;

beforeAll(async () => {
  home = await openHome();
});

afterAll(() => home?.close());

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

test('waiting deliveries are counted; those of a receiver in trouble are not overdue', async () => {
  expect(await measureQueue(home.sql, inSeconds(60))).toEqual({ waiting: 0, overdueSeconds: 0 });

  const { ana, accountId } = newAccount();
  const service = await home.start();
  await integrate(service.as(ana), 'http://127.0.0.1:9/');
  await service.stop();
  // From here on nothing is sent.
  await home.tell(callEvent('ended', { accountId }), callEvent('ended', { accountId }));
  const late = await measureQueue(home.sql, inSeconds(60));
  expect(late.waiting).toBe(2);
  expect(late.overdueSeconds).toBeGreaterThan(55);
  expect(late.overdueSeconds).toBeLessThan(180);

  await home.sql.query('UPDATE integrations SET consecutive_failures = 1');
  expect(await measureQueue(home.sql, inSeconds(60))).toEqual({ waiting: 2, overdueSeconds: 0 });
  await home.sql.query('UPDATE integrations SET consecutive_failures = 0');
  await home.sql.query(`UPDATE delivery_queue SET due_at = now() + interval '1 hour'`);
  expect(await measureQueue(home.sql, inSeconds(60))).toEqual({ waiting: 2, overdueSeconds: 0 });
});
