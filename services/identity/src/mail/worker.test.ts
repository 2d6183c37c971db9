import { createLogger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { createLinks } from './links';
import type { OutgoingMail } from './sender';
import { createMailWorker } from './worker';

const at = new Date('2026-01-01T12:00:00.000Z');
const mail = {
  id: 7,
  uuid: 'a-mail',
  template: 'confirm-email',
  address: 'ana@example.com',
  attempts: 1,
  createdAt: at,
};
const ana = { id: 1, name: 'Ana', email: mail.address, emailVerified: false, domain: 'ana.sabia.localhost' };

/** A database that knows one mail and its receiver, and keeps the names of what it was asked. */
function stage(send: (mail: OutgoingMail) => Promise<void>) {
  const asked: string[] = [];
  const rows: Record<string, object[]> = { 'lock-user-by-email': [ana], 'count-one-time-tokens': [{ count: 0 }] };
  let waiting: object[] = [mail];
  const query = async (_text: string, _values: unknown, { name = '' } = {}) => {
    if (name !== 'claim-mails') {
      asked.push(name);
      return rows[name] ?? [];
    }
    const claimed = waiting;
    waiting = [];
    return claimed;
  };
  const transaction = (work: (tx: Transaction) => Promise<unknown>) => work({ query } as unknown as Transaction);
  const worker = createMailWorker({
    database: { query, transaction } as unknown as Database,
    sender: { send, close: () => undefined },
    links: createLinks('http://gateway.test'),
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => at,
    renewMs: 1,
  });
  return { worker, asked };
}

const settled = (asked: string[], name: string) =>
  new Promise<void>((resolve) => {
    const look = () => (asked.includes(name) ? resolve() : setTimeout(look, 1));
    look();
  });

test('a mail stays with its worker for as long as the SMTP server takes', async () => {
  let accept = () => {};
  const { worker, asked } = stage(() => new Promise((resolve) => (accept = resolve)));
  worker.start();
  await settled(asked, 'renew-mail-lease');
  expect(asked).not.toContain('delete-mail');
  accept();
  await settled(asked, 'delete-mail');
  await worker.stop();
  expect(asked.at(-1)).toBe('delete-mail');
});

test('a mail that was surely not sent takes its link back and waits', async () => {
  const { worker, asked } = stage(() => Promise.reject(new Error('connect ECONNREFUSED')));
  worker.start();
  await settled(asked, 'postpone-mail');
  await worker.stop();
  expect(asked).toEqual([
    'lock-user-by-email',
    'count-one-time-tokens',
    'insert-one-time-token',
    'delete-one-time-token',
    'postpone-mail',
  ]);
});

test('a mail that may have been sent keeps its link', async () => {
  const cut = Object.assign(new Error('connection closed'), { command: 'DATA' });
  const { worker, asked } = stage(() => Promise.reject(cut));
  worker.start();
  await settled(asked, 'postpone-mail');
  await worker.stop();
  expect(asked).not.toContain('delete-one-time-token');
});
