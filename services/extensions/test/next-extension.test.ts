import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import fc from 'fast-check';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, createNext, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

test('starts at 1000, takes the lowest free number, and answers every field', async () => {
  const { admin, domain } = newAccount();
  expect(await createNext(service.as(admin), { bina: '1140028922', gravar_audio: true })).toEqual({
    id: expect.any(Number),
    domain,
    ramal: '1000',
    senha: 'segredo-numero-1',
    bina: '1140028922',
    first_name: 'Ana',
    last_name: 'Souza',
    email_address: 'ana@example.com',
    gravar_audio: true,
    name: 'Ana Souza',
    registered: false,
    registered_at: undefined,
  });
  expect((await createNext(service.as(admin))).ramal).toBe('1001');
});

test('numbers that were chosen are passed over, numbers that came free are used again', async () => {
  const { admin } = newAccount();
  const extensions = service.as(admin);
  await create(extensions, { ramal: '1001' });
  await create(extensions, { ramal: '999' });
  await create(extensions, { ramal: '01002' });
  const first = await createNext(extensions);
  expect([first.ramal, (await createNext(extensions)).ramal]).toEqual(['1000', '1002']);
  await extensions.deleteExtension({ id: first.id });
  expect((await createNext(extensions)).ramal).toBe('1000');
  const last = await createNext(extensions);
  await extensions.upsertExtension({ id: last.id, ramal: '5000' });
  expect((await createNext(extensions)).ramal).toBe('1003');
});

test('needs nothing: the senha is generated, the name is that of the user who asks', async () => {
  const { admin } = newAccount();
  const { extension } = await service.as({ ...admin, userName: 'Ana Maria Souza' }).createNextExtension({});
  expect(extension).toMatchObject({ first_name: 'Ana', last_name: 'Maria Souza', name: 'Ana Maria Souza' });
  expect(extension).toMatchObject({ email_address: admin.email, senha: expect.stringMatching(/^\S{12,}$/) as unknown });
});

test('refuses what is wrong, all at once, and uses no number up', async () => {
  const { admin } = newAccount();
  expect(
    await refusal(
      service.as(admin).createNextExtension({ senha: '1', first_name: '', last_name: ' ', email_address: 'x' }),
    ),
  ).toMatchObject({
    kind: ErrorKind.VALIDATION,
    codes: { senha: 'length', first_name: 'presence', last_name: 'presence', email_address: 'format' },
  });
  expect((await createNext(service.as(admin))).ramal).toBe('1000');
});

test('500 at once get 500 numbers that follow each other, on two replicas', async () => {
  const second = await home.start();
  try {
    const { admin } = newAccount();
    const created = await Promise.all(
      Array.from({ length: 500 }, (_, index) => createNext((index % 2 === 0 ? service : second).as(admin))),
    );
    expect(created.map(({ ramal }) => Number(ramal)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 500 }, (_, index) => 1000 + index),
    );
  } finally {
    await second.stop();
  }
});

test('chosen numbers, next ones and deletions at once never collide', async () => {
  const { admin } = newAccount();
  const extensions = service.as(admin);
  const first = await Promise.all(Array.from({ length: 20 }, () => createNext(extensions)));
  const results = await Promise.allSettled([
    ...first.map(({ id }) => extensions.deleteExtension({ id })),
    ...Array.from({ length: 40 }, () => createNext(extensions)),
    ...Array.from({ length: 40 }, (_, index) => create(extensions, { ramal: String(1000 + index) })),
  ]);
  for (const result of results) {
    if (result.status === 'rejected') {
      expect(result.reason).toMatchObject({ kind: ErrorKind.VALIDATION });
    }
  }
  const left = (await extensions.listExtensions({})).extensions.map(({ ramal }) => ramal);
  expect(new Set(left).size).toBe(left.length);
});

test('a burst in one account does not keep another waiting', async () => {
  const busy = newAccount();
  const calm = newAccount();
  let running = 200;
  const burst = Promise.all(
    Array.from({ length: running }, async (_, index) => {
      await create(service.as(busy.admin), { ramal: String(2000 + index) });
      running -= 1;
    }),
  );
  await createNext(service.as(calm.admin));
  // It came last, and would have ended with the last of them.
  expect(running).toBeGreaterThan(50);
  await burst;
});

test('the lowest free numbers are right after any history', async () => {
  const numbers = fc.integer({ min: 998, max: 1012 });
  const anyStep = fc.oneof(
    fc.record({ kind: fc.constant('take' as const), number: numbers }),
    fc.record({ kind: fc.constant('free' as const), number: numbers }),
    fc.record({ kind: fc.constant('move' as const), number: numbers, to: numbers }),
    fc.record({ kind: fc.constant('bulk' as const), number: numbers, to: numbers }),
    fc.record({ kind: fc.constant('free-all' as const), number: numbers, to: numbers }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      const { accountId, domain } = newAccount();
      const insert = (low: number, high: number) =>
        home.sql.query(
          `INSERT INTO extensions (account_id, domain, ramal, senha_sealed, senha_key_id, ha1, first_name, last_name,
             email_address, gravar_audio, registration_changed_at, created_at, updated_at)
           SELECT $1, $2, n::text, '', 'x', repeat('0', 32), 'a', 'b', 'c', false, now(), now(), now()
           FROM generate_series($3::int, $4::int) n`,
          [accountId, domain, low, high],
        );
      for (const step of steps) {
        // Whatever is refused must leave the numbers as they were.
        await (
          step.kind === 'take'
            ? insert(step.number, step.number)
            : step.kind === 'bulk'
              ? insert(step.number, step.to)
              : step.kind === 'move'
                ? home.sql.query('UPDATE extensions SET ramal = $3 WHERE account_id = $1 AND ramal = $2', [
                    accountId,
                    String(step.number),
                    String(step.to),
                  ])
                : home.sql.query(
                    'DELETE FROM extensions WHERE account_id = $1 AND ramal::int BETWEEN $2::int AND $3::int',
                    [accountId, step.number, step.kind === 'free' ? step.number : step.to],
                  )
        ).catch(() => undefined);
      }
      const used = await home.sql.query<{ number: number }>(
        'SELECT ramal::int AS number FROM extensions WHERE account_id = $1 AND ramal::int >= 1000 ORDER BY 1',
        [accountId],
      );
      const answer = await home.sql.query<{ number: string }>('SELECT lowest_free_numbers($1, 5) AS number', [
        accountId,
      ]);
      const taken = new Set(used.map(({ number }) => number));
      const untaken = Array.from({ length: 20 }, (_, index) => 1000 + index).filter((number) => !taken.has(number));
      expect(answer.map(({ number }) => Number(number))).toEqual(untaken.slice(0, 5));
      const [free] = await home.sql.query<{ count: number; overlaps: number }>(
        `SELECT sum(last - first + 1)::bigint AS count,
                count(*) FILTER (WHERE first <= before + 1) AS overlaps
         FROM (SELECT first, last, lag(last) OVER (ORDER BY last) AS before FROM free_numbers WHERE account_id = $1) r`,
        [accountId],
      );
      expect(free).toEqual({ count: 9_999_999_999 - 1000 + 1 - used.length, overlaps: 0 });
    }),
    { numRuns: 60 },
  );
});
