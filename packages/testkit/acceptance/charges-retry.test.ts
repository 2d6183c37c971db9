import type { Charge } from '@sabia/client';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { dayAhead } from '../src/credit';
import { startOwnStack, type OwnStack } from '../src/own-stack';
import { createAdmin, type Person } from '../src/people';
import { refusalOf } from '../src/refusals';
import type { StackClient } from '../src/stack-client';

describe('a charge that is requested again, because the answer was lost', () => {
  let stack: OwnStack;
  let admin: Person;

  beforeAll(async () => {
    stack = await startOwnStack({ gateways: 2 });
    admin = await createAdmin(stack);
  });

  afterAll(() => stack?.end());

  const at = (gateway: number): StackClient => admin.api().at(stack.gatewayUrls[gateway]!);
  const post = (gateway: number, key: string, amount = 10) =>
    at(gateway).post<Charge>(
      '/charges',
      { paymentMethod: 'PIX', dueDate: dayAhead(2), amount },
      { headers: { 'idempotency-key': key } },
    );
  const open = async (gateway = 1): Promise<number[]> => {
    const query = { page: '1', filter: '{"where":{"status":"PENDING"}}' };
    return (await at(gateway).get<{ data: Charge[] }>('/charges', { query })).body.data.map(({ id }) => id);
  };
  const cancel = async (id: number): Promise<void> => {
    expect((await at(1).patch(`/charges/${id}/cancel`)).status).toBe(200);
  };
  const process = (gateway: number) => stack.processes.get(gateway === 0 ? 'gateway' : `gateway-${gateway + 1}`)!;

  it('is the same charge, whether Redis remembers it, is away, or has forgotten', async () => {
    const key = randomUUID();
    const first = await post(0, key);
    expect(first.status).toBe(200);
    const again = { status: 200, body: first.body, headers: { 'idempotent-replayed': 'true' } };
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(await post(1, key)).toMatchObject(again);
    await stack.servers.redis.stop();
    try {
      expect(await post(0, key)).toMatchObject(again);
      expect(refusalOf(await post(1, key, 11))).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
    } finally {
      await stack.servers.redis.start();
    }
    expect(await post(1, key)).toMatchObject(again);
    expect(await open()).toEqual([first.body.id]);
    // The charge was paid or cancelled meanwhile; the answer is still that of the first request.
    await cancel(first.body.id);
    expect(await post(0, key)).toMatchObject(again);
    expect(await open()).toEqual([]);
  });

  describe('while Redis is away', () => {
    beforeAll(() => stack.servers.redis.stop());
    afterAll(() => stack.servers.redis.start());

    it('is made once by thirty requests at a time', async () => {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 30 }, (_, nth) => post(nth % 2, key)));
      expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
      expect(await open()).toEqual([answers[0]?.body.id]);
      await cancel(answers[0]!.body.id);
    });

    it('is the same one after the gateway was killed in the middle', async () => {
      for (let round = 0; round < 2; round += 1) {
        const key = randomUUID();
        const lost = post(0, key).catch(() => undefined);
        await delay(randomInt(25));
        await process(0).kill();
        const heard = await lost;
        const retried = await post(1, key);
        expect(retried.status).toBe(200);
        if (heard?.status === 200) expect(retried.body).toEqual(heard.body);
        expect(await post(1, key)).toMatchObject({ status: 200, body: { id: retried.body.id } });
        expect(await open()).toEqual([retried.body.id]);
        await cancel(retried.body.id);
        await process(0).start();
      }
    });
  });
});
