import { dayAhead } from '../src/credit';
import { createAdmin, createUser, type Person } from '../src/people';
import { blank, invalid, refusalOf, unauthorized, unknownId, type Refusal } from '../src/refusals';
import { isoTime } from '../src/shapes';
import { testStack } from '../src/test-stack';

interface Charge {
  id: number;
  userId: number;
  organizationId: number;
  status: string;
  amount: number;
  dueDate: string;
  paymentLink: string;
}

const openChargeExists: Refusal = {
  status: 409,
  name: 'ConflictError',
  code: 'OPEN_CHARGE_EXISTS',
  message: 'The account already has an open charge.',
};
const notCancellable: Refusal = {
  status: 409,
  name: 'ConflictError',
  code: 'CHARGE_NOT_CANCELLABLE',
  message: 'Only an open charge can be cancelled.',
};
const invalidJson = { status: 400, name: 'BadRequestError', code: 'INVALID_JSON' };

const cancel = (person: Person, id: number | string) => person.api().patch<Charge>(`/charges/${id}/cancel`);
const list = (person: Person, query: Record<string, string> = { page: '1' }) =>
  person.api().get<{ data: Charge[]; meta: object }>('/charges', { query });
const where = async (person: Person, filter: object) =>
  (await list(person, { page: '1', filter: JSON.stringify({ where: filter }) })).body.data.map(({ id }) => id);

describe('POST /charges', () => {
  let admin: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack());
  });

  /** JSON text, because clients send forms that JSON.stringify does not write. */
  const post = (fields: Record<string, string | undefined>) => {
    const usual = { paymentMethod: '"PIX"', dueDate: `"${dayAhead(2)}"`, amount: '10' };
    const given = Object.entries({ ...usual, ...fields }).filter(([, value]) => value !== undefined);
    const rawBody = `{${given.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
    return admin.api().request<Charge>('POST', '/charges', { rawBody });
  };

  async function expectMade(fields: Record<string, string | undefined>, expected: object): Promise<void> {
    const answer = await post(fields);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ status: 'PENDING', ...expected })]);
    expect((await cancel(admin, answer.body.id)).status).toBe(200);
  }

  it('answers the fields of the interface, and no other', async () => {
    const metadata = { b: 1, a: { x: [1.5, '2', null] } };
    const answer = await post({ description: '"Crédito"', metadata: JSON.stringify(metadata) });
    expect(answer.status).toBe(200);
    const { id, organizationId } = answer.body;
    expect(answer.body).toEqual({
      id: expect.any(Number),
      userId: admin.id,
      organizationId: expect.any(Number),
      gateway: 'sandbox',
      type: 'CREDIT',
      paymentMethod: 'PIX',
      paymentId: `sandbox_${id}`,
      paymentLink: expect.stringMatching(new RegExp(`^${testStack().gatewayUrl}/pay/[\\w-]{22}$`)),
      dueDate: `${dayAhead(2)}T03:00:00.000Z`,
      amount: 10,
      totalAmount: 10,
      description: 'Crédito',
      status: 'PENDING',
      statusUpdatedAt: expect.stringMatching(isoTime),
      createdAt: expect.stringMatching(isoTime),
      metadata,
    });
    const whole = {
      ...answer.body,
      organizationId,
      paymentCode: expect.stringMatching(/^000201/),
      pixCode: expect.stringMatching(/^000201/),
      invoiceId: null,
      invoiceLink: null,
      taxAmount: 0,
      paidAt: null,
      refundedAt: null,
      receivedAt: null,
      hasErpInvoice: false,
    };
    expect((await list(admin)).body.data[0]).toEqual(whole);
    expect((await admin.api().get(`/charges/${id}`)).body).toEqual(whole);
    expect((await cancel(admin, id)).body).toEqual({
      ...whole,
      status: 'CANCELLED',
      statusUpdatedAt: expect.stringMatching(isoTime),
    });
  });

  const range: [string, string] = ['range', 'must be greater than 5.00 and less than 50000.00'];
  const cents: [string, string] = ['format', 'must have at most two decimals'];
  const fraction: [string, string] = ['format', 'must not have more than 4 decimals'];
  const number: [string, string] = ['type', 'must be a number'];

  it.each([
    ['5.01', 5.01],
    ['49999.99', 49_999.99],
    ['10.10', 10.1],
    ['1e1', 10],
    // A number written as text is accepted.
    ['"10"', 10],
    ['"5.01"', 5.01],
    [`10.${'0'.repeat(400)}`, 10],
  ])('amount %s is taken', (amount, value) => expectMade({ amount }, { amount: value, totalAmount: value }));

  it.each([
    ['5.00', range],
    ['50000', range],
    ['1e9', range],
    ['-1', range],
    ['0', range],
    ['5.001', cents],
    ['5.00001', fraction],
    ['1e-400', fraction],
    ['9'.repeat(400), ['range', 'is out of range']],
    ['1e400', ['range', 'is out of range']],
    ['"NaN"', number],
    ['"abc"', number],
    ['"10,50"', number],
    ['""', number],
    ['true', number],
    ['[10]', number],
    ['{}', number],
    ['null', blank],
    [undefined, blank],
  ] as [string | undefined, [string, string]][])('amount %s is refused', async (amount, reason) => {
    expect(refusalOf(await post({ amount }))).toEqual(invalid('charge', { amount: reason }));
  });

  it.each(['NaN', 'Infinity', '0x10', '5,01', '.5', '1_000'])('amount %s is not JSON', async (amount) => {
    expect(refusalOf(await post({ amount }))).toMatchObject(invalidJson);
  });

  const calendar: [string, string] = ['format', 'must be a calendar date, YYYY-MM-DD'];
  const text: [string, string] = ['type', 'must be a string'];

  it.each([1, 7])('a due date in %d days is taken', (days) =>
    expectMade({ dueDate: `"${dayAhead(days)}"` }, { dueDate: `${dayAhead(days)}T03:00:00.000Z` }),
  );

  it.each([-1, 0, 8])('a due date in %d days is refused', async (days) => {
    const answer = await post({ dueDate: `"${dayAhead(days)}"` });
    const reason = `must be after today (${dayAhead(0)}) and at most 7 days ahead`;
    expect(refusalOf(answer)).toEqual(invalid('charge', { dueDate: ['range', reason] }));
  });

  it.each([
    ['"2026-02-30"', calendar],
    ['"12/03/2026"', calendar],
    ['"2026-3-1"', calendar],
    ['"2026-11-20T00:00:00Z"', calendar],
    ['"tomorrow"', calendar],
    ['20261120', text],
    ['true', text],
    ['["2026-11-20"]', text],
    ['""', blank],
    ['null', blank],
    [undefined, blank],
  ] as [string | undefined, [string, string]][])('due date %s is refused', async (dueDate, reason) => {
    expect(refusalOf(await post({ dueDate }))).toEqual(invalid('charge', { dueDate: reason }));
  });

  it.each(['UNDEFINED', 'CREDIT_CARD', 'DEBIT_CARD', 'BOLETO', 'PIX'])('%s is a payment method', (paymentMethod) =>
    expectMade({ paymentMethod: `"${paymentMethod}"` }, { paymentMethod }),
  );

  it.each(['"CASH"', '1', '""', '"UNSPECIFIED"'])('%s is no payment method', async (paymentMethod) => {
    const reason = 'must be one of UNDEFINED, CREDIT_CARD, DEBIT_CARD, BOLETO, PIX';
    expect(refusalOf(await post({ paymentMethod }))).toEqual(
      invalid('charge', { paymentMethod: ['inclusion', reason] }),
    );
  });

  it('names every field that is wrong', async () => {
    const answer = await post({ amount: '1', dueDate: '"x"', description: `"${'x'.repeat(501)}"`, metadata: '{}' });
    expect(refusalOf(answer)).toEqual(
      invalid('charge', {
        dueDate: calendar,
        amount: range,
        description: ['length', 'must not be longer than 500 characters'],
      }),
    );
  });

  it('needs a token', async () => {
    expect(refusalOf(await admin.api().withToken(undefined).post('/charges', {}))).toEqual(unauthorized);
    expect(refusalOf(await admin.api().withToken(undefined).get('/charges'))).toEqual(unauthorized);
    expect(refusalOf(await admin.api().withToken(undefined).patch('/charges/1/cancel'))).toEqual(unauthorized);
  });

  it('leaves nothing behind of a refused charge', async () => {
    const { body } = await list(admin);
    expect(new Set(body.data.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
  });
});

describe('the one open charge of an account', () => {
  const wish = () => ({ paymentMethod: 'PIX', dueDate: dayAhead(2), amount: 10 });

  it('of fifty at a time, over both gateways, exactly one is made', async () => {
    const admin = await createAdmin(testStack());
    const user = await createUser(admin);
    const { gatewayUrls } = testStack();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        (nth % 4 < 2 ? admin : user)
          .api()
          .at(gatewayUrls[nth % gatewayUrls.length]!)
          .post('/charges', wish()),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(refusalOf)).toEqual(Array(49).fill(openChargeExists));
    expect((await list(admin)).body).toMatchObject({ data: [{ status: 'PENDING' }], meta: { totalItemCount: 1 } });
  });

  it('is cancelled once, by its own account only, and makes room', async () => {
    const [admin, stranger] = [await createAdmin(testStack()), await createAdmin(testStack())];
    const made = await admin.api().post<Charge>('/charges', wish());
    const { id } = made.body;
    expect(refusalOf(await admin.api().post('/charges', wish()))).toEqual(openChargeExists);
    expect(refusalOf(await cancel(stranger, id))).toEqual(unknownId('charge', id));
    for (const unknown of ['999999999', 'abc', '0', '-1', '1.5', '99999999999999999999']) {
      expect(refusalOf(await cancel(admin, unknown))).toEqual(unknownId('charge', unknown));
    }
    expect((await list(stranger)).body.data).toEqual([]);
    expect(await cancel(admin, id)).toMatchObject({ status: 200, body: { id, status: 'CANCELLED' } });
    expect(refusalOf(await cancel(admin, id))).toEqual(notCancellable);
    // A USER may do all of this, too.
    const user = await createUser(admin);
    const second = await user.api().post<Charge>('/charges', wish());
    expect(second).toMatchObject({ status: 200, body: { userId: user.id } });
    const paid = await user.api().post(new URL(second.body.paymentLink).pathname, undefined, { outsideApi: true });
    expect(paid.status).toBe(200);
    expect(refusalOf(await cancel(user, second.body.id))).toEqual(notCancellable);
    expect((await list(admin)).body.data.map(({ status }) => status)).toEqual(['RECEIVED', 'CANCELLED']);
    expect((await admin.api().get('/credits/balance')).body).toMatchObject({ balance: 10 });
  });
});

describe('GET /charges', () => {
  let admin: Person;
  /** Newest first. */
  const ids: number[] = [];

  beforeAll(async () => {
    admin = await createAdmin(testStack());
    for (const [nth, paymentMethod] of ['PIX', 'BOLETO', 'PIX'].entries()) {
      const body = { paymentMethod, dueDate: dayAhead(nth + 1), amount: 10 * (nth + 1), metadata: { order: nth } };
      const { id } = (await admin.api().post<Charge>('/charges', body)).body;
      ids.unshift(id);
      if (nth < 2) expect((await cancel(admin, id)).status).toBe(200);
    }
  });

  it('shows pages, newest first', async () => {
    expect((await list(admin)).body.data.map(({ id }) => id)).toEqual(ids);
    const second = await list(admin, { page: '2', filter: '{"limit":2}' });
    expect(second.body.data.map(({ id }) => id)).toEqual([ids[2]]);
    expect(second.body.meta).toMatchObject({ totalItemCount: 3, totalPageCount: 2, currentPage: 2, itemsPerPage: 2 });
    expect((await list(admin, {})).body.data).toHaveLength(3);
  });

  it('finds by filter', async () => {
    expect(await where(admin, { status: 'CANCELLED' })).toEqual(ids.slice(1));
    expect(await where(admin, { status: 'PENDING', paymentMethod: 'PIX' })).toEqual([ids[0]]);
    expect(await where(admin, { amount: { between: [15, 25] } })).toEqual([ids[1]]);
    expect(await where(admin, { dueDate: dayAhead(3) })).toEqual([ids[0]]);
    expect(await where(admin, { 'metadata.order': 1 })).toEqual([ids[1]]);
    expect(await where(admin, { or: [{ id: ids[0] }, { id: ids[2] }] })).toEqual([ids[0], ids[2]]);
  });

  it('refuses wrong fields by name', async () => {
    const { status, code, message } = refusalOf(await list(admin, { page: '1', filter: '{"where":{"secret":1}}' }));
    expect([status, code]).toEqual([400, 'INVALID_FILTER']);
    expect(message).toMatch(/secret.*paymentMethod/s);
    for (const page of ['0', '-1', 'x', '1.5']) {
      expect(refusalOf(await list(admin, { page }))).toMatchObject({ status: 400, code: 'INVALID_PAGE' });
    }
  });
});
