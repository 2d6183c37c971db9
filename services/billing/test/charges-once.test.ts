import { randomUUID } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ChargeStatus, PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { unavailable } from '@sabia/service-kit/errors';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { deleteExpiredKeys } from '@sabia/service-kit/postgres/idempotency-keys';
import { applyNotification } from '../src/payments/notifications';
import { PaymentRefused } from '../src/payments/port';
import type { PaymentProvider } from '../src/payments/port';
import { performDueTasks } from '../src/payments/provider-tasks';
import { openStage, sandbox } from './stage';
import type { RequestOf, ResponseOf, Stage } from './stage';

type Made = ResponseOf<'createCharge'>;

describe('a charge with an idempotency key', () => {
  let stage: Stage;
  let time: Date;
  let account = 1;
  let userId = 100;
  let provider: 'works' | 'is away' | 'refuses' | 'never answers';
  let askedInVain = (): void => undefined;

  beforeAll(async () => {
    const moody: PaymentProvider = {
      ...sandbox,
      async createPayment(request) {
        if (provider === 'never answers') {
          askedInVain();
          await new Promise(() => undefined);
        }
        if (provider === 'is away') {
          throw unavailable('away');
        }
        if (provider === 'refuses') {
          throw new PaymentRefused('no');
        }
        return sandbox.createPayment(request);
      },
    };
    stage = await openStage({ now: () => time, provider: moody, poolSize: 20 });
  });

  beforeEach(() => {
    account++;
    userId++;
    time = new Date('2026-03-10T12:00:00Z');
    provider = 'works';
  });

  afterAll(() => stage.close());

  const usual = { paymentMethod: PaymentMethod.PIX, dueDate: '2026-03-12', amount: 100_000 };

  async function create(
    idempotencyKey: string | undefined,
    wish: Partial<RequestOf<'createCharge'>> = {},
    by = userId,
  ): Promise<{ charge: Made; replayed: boolean }> {
    const context: Partial<RpcContext> = { idempotencyKey };
    const caller = { accountId: account, userId: by };
    const charge = await stage.call('createCharge', { ...usual, ...wish }, caller, context);
    return { charge, replayed: context.replayed === true };
  }
  const charges = async () => (await stage.call('listCharges', {}, { accountId: account })).data;

  test('is made once; whatever becomes of it, the answer stays the same', async () => {
    const key = randomUUID();
    const first = await create(key);
    expect(first.replayed).toBe(false);
    expect(await create(key)).toEqual({ charge: first.charge, replayed: true });
    const { id, paymentId } = first.charge;
    await applyNotification(stage.collection, 'sandbox', {
      id: key,
      paymentId: paymentId!,
      event: 'received',
      amount: 100_000,
    });
    expect(await create(key)).toEqual({ charge: first.charge, replayed: true });
    expect(await charges()).toMatchObject([{ id, status: ChargeStatus.RECEIVED }]);
    expect(await stage.events(account)).toEqual(['billing.charge.created', 'billing.charge.received']);
  });

  test('is made once by twenty requests at the same moment', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key)));
    expect(new Set(answers.map(({ charge }) => charge.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await charges()).toHaveLength(1);
  });

  test('the key belongs to the request and to the user', async () => {
    const key = randomUUID();
    await create(key);
    await expect(create(key, { amount: 200_000 })).rejects.toMatchObject({
      kind: ErrorKind.UNPROCESSABLE,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    await expect(create(key, {}, userId + 1_000)).rejects.toMatchObject({ code: 'OPEN_CHARGE_EXISTS' });
    await expect(create(randomUUID())).rejects.toMatchObject({ code: 'OPEN_CHARGE_EXISTS' });
    await expect(create(undefined)).rejects.toMatchObject({ code: 'OPEN_CHARGE_EXISTS' });
  });

  test('a refusal keeps nothing: the next try is checked anew', async () => {
    const key = randomUUID();
    await expect(create(key, { amount: 1 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    provider = 'refuses';
    await expect(create(key)).rejects.toMatchObject({ code: 'PAYMENT_REFUSED' });
    provider = 'is away';
    await expect(create(key)).rejects.toMatchObject({ kind: ErrorKind.UNAVAILABLE });
    provider = 'works';
    expect((await create(key)).replayed).toBe(false);
    expect(await charges()).toHaveLength(1);
  });

  test('while the provider is still being asked a repetition waits, and then says so; a charge that died is given up with its key', async () => {
    const key = randomUUID();
    provider = 'never answers';
    await new Promise<void>((resolve) => {
      askedInVain = resolve;
      void create(key);
    });
    provider = 'works';
    await expect(create(key)).rejects.toMatchObject({ kind: ErrorKind.CONFLICT, code: 'IDEMPOTENCY_IN_PROGRESS' });
    time = new Date(time.getTime() + 181_000);
    await performDueTasks(stage.collection);
    expect((await create(key)).replayed).toBe(false);
    expect(await charges()).toHaveLength(1);
  });

  test('a charge that was paid before its maker came back is answered as it is', async () => {
    const key = randomUUID();
    const { charge } = await create(key);
    // As if the process had died before it could note the provider's answer, and a notification had come.
    await stage.database.query('UPDATE idempotency_keys SET answer = NULL WHERE charge_id = $1', [charge.id]);
    await applyNotification(stage.collection, 'sandbox', {
      id: key,
      paymentId: charge.paymentId!,
      event: 'received',
      amount: 100_000,
    });
    expect(await create(key)).toMatchObject({
      charge: { id: charge.id, status: ChargeStatus.RECEIVED },
      replayed: true,
    });
  });

  test('the key counts for a day, and is then removed', async () => {
    const key = randomUUID();
    const { charge } = await create(key);
    await stage.call('cancelCharge', { id: String(charge.id) }, { accountId: account });
    time = new Date('2026-03-11T11:59:59Z');
    expect((await create(key)).charge.id).toBe(charge.id);
    time = new Date('2026-03-11T12:00:00Z');
    const next = await create(key);
    expect(next).toMatchObject({ replayed: false });
    expect(next.charge.id).not.toBe(charge.id);
    time = new Date('2026-03-20T12:00:00Z');
    expect(await deleteExpiredKeys(stage.database, time, 1)).toBe(1);
    while ((await deleteExpiredKeys(stage.database, time, 500)) > 0);
    expect(await stage.database.query('SELECT FROM idempotency_keys')).toEqual([]);
  });
});
