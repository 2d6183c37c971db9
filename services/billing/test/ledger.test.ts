import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';
import { log } from './stage';

/** What the database itself refuses, whatever the code above it does. */
describe('the ledger', () => {
  let testDatabase: TestDatabase;
  let service: ReturnType<typeof createDatabase>;
  let superuser: ReturnType<typeof createDatabase>;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('billing');
    service = createDatabase({ ...patient, url: testDatabase.url, applicationName: 'ledger test', poolSize: 4, log });
    superuser = createDatabase({
      ...patient,
      url: testDatabase.adminUrl,
      applicationName: 'ledger test',
      poolSize: 2,
      log,
    });
  });

  afterAll(async () => {
    await service.close();
    await superuser.close();
    await testDatabase.drop();
  });

  interface Entry {
    book: string;
    amount: string;
    balance?: string;
  }

  async function post(
    tx: Transaction,
    accountId: number,
    reference: string,
    entries: Entry[],
    entryAccount = accountId,
    kind = 'grant',
  ) {
    await tx.query(
      `WITH t AS (
         INSERT INTO ledger_transactions (account_id, kind, reference, description, at)
         VALUES ($1, $7, $2, '', now()) RETURNING id
       )
       INSERT INTO ledger_entries (transaction_id, account_id, book, amount, balance)
       SELECT t.id, $6, e.* FROM t, unnest($3::text[], $4::numeric[], $5::numeric[]) AS e`,
      [
        accountId,
        reference,
        entries.map(({ book }) => book),
        entries.map(({ amount }) => amount),
        entries.map(({ balance }) => balance ?? null),
        entryAccount,
        kind,
      ],
    );
  }

  const setBalance = (tx: Transaction, accountId: number, balance: string) =>
    tx.query(
      `INSERT INTO balances (account_id, balance) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE SET balance = excluded.balance`,
      [accountId, balance],
    );

  const grant = (amount: string, balance: string): Entry[] => [
    { book: 'credit', amount, balance },
    { book: 'grants', amount: amount.startsWith('-') ? amount.slice(1) : `-${amount}` },
  ];

  test('takes a balanced movement together with its balance', async () => {
    await service.transaction(async (tx) => {
      await setBalance(tx, 1, '10');
      await post(tx, 1, 'first', grant('10', '10'));
    });
    await service.transaction(async (tx) => {
      await setBalance(tx, 1, '15');
      await post(tx, 1, 'second', grant('5', '15'));
    });
    const rows = await service.query('SELECT amount, balance FROM statement WHERE account_id = 1 ORDER BY id');
    expect(rows).toEqual([
      { amount: '10.0000', balance: '10.0000' },
      { amount: '5.0000', balance: '15.0000' },
    ]);
  });

  const refusals: [string, RegExp, (tx: Transaction) => Promise<unknown>][] = [
    [
      'entries that do not sum to zero',
      /is not balanced/,
      async (tx) => {
        await setBalance(tx, 2, '10');
        await post(tx, 2, 'x', [
          { book: 'credit', amount: '10', balance: '10' },
          { book: 'grants', amount: '-9.9999' },
        ]);
      },
    ],
    ['a movement of one side', /is not balanced/, (tx) => post(tx, 2, 'x', [{ book: 'grants', amount: '1' }])],
    [
      'a movement without entries',
      /has no entries/,
      (tx) =>
        tx.query(
          `INSERT INTO ledger_transactions (account_id, kind, reference, description, at) VALUES (2, 'grant', 'x', '', now())`,
        ),
    ],
    [
      'entries added to a movement of another account',
      /does not exist in this account/,
      async (tx) => {
        await setBalance(tx, 3, '10');
        await post(tx, 2, 'x', grant('10', '10'), 3);
      },
    ],
    [
      'a balance that does not continue the one before',
      /does not continue the balance/,
      async (tx) => {
        await setBalance(tx, 1, '99');
        await post(tx, 1, 'x', grant('10', '99'));
      },
    ],
    ['entries without the balance row', /does not continue the balance/, (tx) => post(tx, 1, 'x', grant('10', '25'))],
    ['a balance without entries', /is not that of its ledger/, (tx) => setBalance(tx, 1, '1000')],
    ['a new balance without entries', /is not that of its ledger/, (tx) => setBalance(tx, 4, '1000')],
    [
      'a balance below zero that no refund explains',
      /below zero/,
      async (tx) => {
        await setBalance(tx, 1, '-0.0001');
        await post(tx, 1, 'x', grant('-15.0001', '-0.0001'));
      },
    ],
    [
      'a call that takes more than it reserved below zero',
      /below zero/,
      async (tx) => {
        await setBalance(tx, 1, '-1');
        await post(tx, 1, 'x', grant('-16', '-1'), 1, 'call');
      },
    ],
    [
      'more reserved than there is',
      /has no credit for what is to be reserved/,
      (tx) => tx.query('UPDATE balances SET reserved = 15.0001 WHERE account_id = 1'),
    ],
    [
      'the same thing booked twice',
      /ledger_transactions_once/,
      async (tx) => {
        await setBalance(tx, 1, '25');
        await post(tx, 1, 'first', grant('10', '25'));
      },
    ],
    ['a change of an entry', /permission denied/, (tx) => tx.query('UPDATE ledger_entries SET amount = 1')],
    [
      'a change of a movement',
      /permission denied/,
      (tx) => tx.query(`UPDATE ledger_transactions SET description = 'x'`),
    ],
    ['a deletion of entries', /permission denied/, (tx) => tx.query('DELETE FROM ledger_entries')],
    ['a deletion of movements', /permission denied/, (tx) => tx.query('DELETE FROM ledger_transactions')],
    ['emptying the ledger', /permission denied/, (tx) => tx.query('TRUNCATE ledger_entries, ledger_transactions')],
    ['a deletion of balances', /permission denied/, (tx) => tx.query('DELETE FROM balances')],
  ];

  test('takes a refund below zero, and no reservation of what is not there', async () => {
    const overdrawn = 9;
    await service.transaction(async (tx) => {
      await setBalance(tx, overdrawn, '-2.5');
      await post(tx, overdrawn, '7', grant('-2.5', '-2.5'), overdrawn, 'refund');
    });
    const reserve = service.query('UPDATE balances SET reserved = 0.0001 WHERE account_id = $1', [overdrawn]);
    await expect(reserve).rejects.toThrow(/has no credit/);
  });

  test.each(refusals)('refuses %s', async (_what, reason, attempt) => {
    await expect(
      service.transaction(async (tx) => {
        await attempt(tx);
      }),
    ).rejects.toThrow(reason);
    const [row] = await service.query('SELECT balance FROM balances WHERE account_id = 1');
    expect(row).toEqual({ balance: '15.0000' });
  });

  test.each([
    'UPDATE billing.ledger_entries SET amount = 1',
    'DELETE FROM billing.ledger_transactions',
    'TRUNCATE billing.ledger_entries',
    'DELETE FROM billing.balances',
  ])('refuses even a superuser: %s', async (statement) => {
    await expect(superuser.query(statement)).rejects.toThrow(/append-only/);
  });
});
