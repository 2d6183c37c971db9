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
const ana = {
  id: 1,
  name: 'Ana',
  language: 'pt-BR',
  email: mail.address,
  emailVerified: false,
  domain: 'ana.sabia.localhost',
};

/** A database that knows one mail and its receiver, and keeps the names of what it was asked. */
function stage(send: (mail: OutgoingMail) => Promise<void>, { attempts = 1, links = 0 } = {}) {
  const asked: string[] = [];
  const rows: Record<string, object[]> = {
    'lock-mail-reader-confirm-email': [ana],
    'find-wanted-mail': [{ id: mail.id }],
    'count-requested-links': [{ ofUser: links, ofAddress: links }],
  };
  let waiting: object[] = [{ ...mail, attempts }];
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

test('a mail stays with its worker while the SMTP server answers', async () => {
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

test('a mail that was certainly not sent withdraws its link and is retried', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { command: 'CONN', syscall: 'connect' });
  const { worker, asked } = stage(() => Promise.reject(refused));
  worker.start();
  await settled(asked, 'delete-one-time-token');
  await worker.stop();
  expect(asked).toEqual([
    'lock-mail-reader-confirm-email',
    'find-wanted-mail',
    'count-requested-links',
    'insert-one-time-token',
    'postpone-mail',
    'delete-one-time-token',
  ]);
});

test('a mail that may have been sent keeps its link', async () => {
  const cut = Object.assign(new Error('connection closed'), { command: 'CONN' });
  const { worker, asked } = stage(() => Promise.reject(cut));
  worker.start();
  await settled(asked, 'postpone-mail');
  await worker.stop();
  expect(asked).not.toContain('delete-one-time-token');
});

test('one request too many sends nothing', async () => {
  const { worker, asked } = stage(() => Promise.resolve(), { links: 5 });
  worker.start();
  await settled(asked, 'delete-mail');
  await worker.stop();
  expect(asked).not.toContain('insert-one-time-token');
});

test('a mail that was tried before is no new request', async () => {
  const sent: string[] = [];
  const send = ({ to }: OutgoingMail) => Promise.resolve(void sent.push(to));
  const { worker, asked } = stage(send, { attempts: 2, links: 5 });
  worker.start();
  await settled(asked, 'delete-mail');
  await worker.stop();
  expect(sent).toEqual([mail.address]);
});
