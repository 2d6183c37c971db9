import { topUp } from '../src/credit';
import { createAdmin, createUser, type Person } from '../src/people';
import { invalid, refusalOf, unauthorized } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';

interface Movement {
  id: number;
  kind: string;
  amount: number;
  balance: number;
  chargeId: number | null;
}

interface Page {
  data: Movement[];
  meta: object;
}

describe('credit', () => {
  let admin: Person;
  /** Oldest first. */
  const charges: number[] = [];

  beforeAll(async () => {
    admin = await createAdmin(testStack());
    for (const amount of [10.01, 20.02, 30.03, 40.04, 50.05]) charges.push((await topUp(admin.api(), amount)).id);
  });

  const statement = (page: string, filter?: object, person = admin) =>
    person
      .api()
      .get<Page>('/credits/statement', { query: { page, ...(filter && { filter: JSON.stringify(filter) }) } });

  it('has a balance, exact to the cent', async () => {
    const expected = { balance: 150.15, reserved: 0, available: 150.15, currency: 'BRL' };
    expect((await admin.api().get('/credits/balance')).body).toEqual(expected);
    expect((await (await createUser(admin)).api().get('/credits/balance')).body).toEqual(expected);
    const stranger = await createAdmin(testStack());
    expect((await stranger.api().get('/credits/balance')).body).toMatchObject({ balance: 0 });
    expect((await statement('1', undefined, stranger)).body.data).toEqual([]);
  });

  it('has a statement, newest first, with the balance after every movement', async () => {
    const { body } = await statement('1');
    expect(body.data.map(({ kind, amount, balance, chargeId }) => [kind, amount, balance, chargeId])).toEqual([
      ['topup', 50.05, 150.15, charges[4]],
      ['topup', 40.04, 100.1, charges[3]],
      ['topup', 30.03, 60.06, charges[2]],
      ['topup', 20.02, 30.03, charges[1]],
      ['topup', 10.01, 10.01, charges[0]],
    ]);
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(isoTime),
      kind: 'topup',
      description: `Top-up, charge ${charges[4]}`,
      amount: 50.05,
      balance: 150.15,
      callId: null,
      chargeId: charges[4],
      destination: null,
    });
  });

  it('whose pages join without a gap', async () => {
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => statement(page, { limit: 2 })));
    expect(pages.map(({ body }) => body.data.map(({ chargeId }) => chargeId))).toEqual([
      [charges[4], charges[3]],
      [charges[2], charges[1]],
      [charges[0]],
      [],
    ]);
    expect(pages[1]?.body.meta).toEqual({
      totalItemCount: 5,
      totalPageCount: 3,
      itemsPerPage: 2,
      currentPage: 2,
      nextPage: 3,
      previousPage: 1,
    });
    const oldest = await statement('1', { order: 'id ASC', limit: 1 });
    expect(oldest.body.data.map(({ chargeId }) => chargeId)).toEqual([charges[0]]);
    const large = await statement('1', { where: { amount: { gt: 30 } } });
    expect(large.body.meta).toMatchObject({ totalItemCount: 3 });
  });

  it('refuses wrong parameters', async () => {
    for (const page of ['0', '-1', 'x']) {
      expect(refusalOf(await statement(page))).toMatchObject({ status: 400, code: 'INVALID_PAGE' });
    }
    expect(refusalOf(await statement('1', { where: { account_id: 1 } }))).toMatchObject({ code: 'INVALID_FILTER' });
    for (const path of ['/credits/balance', '/credits/statement', '/rates']) {
      expect(refusalOf(await admin.api().withToken(undefined).get(path))).toEqual(unauthorized);
    }
  });

  it('is spent at prices that can be asked for', async () => {
    const quote = (destination?: string) =>
      admin.api().get('/rates', { query: destination === undefined ? {} : { destination } });
    const mobile = { prefix: '55119', minute_price: 0.11, minimum_seconds: 30, increment_seconds: 6, currency: 'BRL' };
    const kind = { country: 'BR', number_type: 'mobile' };
    for (const destination of ['11987654321', '(11) 98765-4321', '+55 11 98765-4321', '5511987654321']) {
      const description = expect.stringMatching(/./) as unknown;
      expect((await quote(destination)).body).toEqual({
        destination: '5511987654321',
        ...mobile,
        ...kind,
        description,
      });
    }
    expect((await quote('1130033030')).body).toMatchObject({ prefix: '5511', minute_price: 0.045 });
    expect(refusalOf(await quote())).toEqual(invalid('rate', { destination: ['presence', "can't be blank"] }));
    expect(refusalOf(await quote('abc'))).toMatchObject({
      status: 422,
      details: { codes: { destination: ['format'] } },
    });
  });
});
