import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../files';

/** A mail as the mailbox lists it. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  at: string;
}

export interface StoredMail extends Mail {
  id: string;
  from: string;
}

export interface MailStore {
  /** Writes the mail to disk before it returns: only then may the sender be told that it arrived. */
  add(mail: Omit<StoredMail, 'id' | 'at'>): StoredMail;
  /** Newest first. */
  list(): readonly StoredMail[];
  get(id: string): StoredMail | undefined;
}

export interface MailStoreOptions {
  folder: string;
  now?: () => Date;
  /** The oldest mails beyond this number are deleted. */
  keep?: number;
}

export function openMailStore({ folder, now = () => new Date(), keep = 1_000 }: MailStoreOptions): MailStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (id: string) => join(folder, `${id}.json`);
  // Ids begin with the time, so their order is the order of arrival.
  let mails = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .reverse()
    .flatMap((file) => read(join(folder, file)));
  let count = 0;

  return {
    add(mail) {
      const at = now();
      count += 1;
      const order = `${String(at.getTime()).padStart(15, '0')}-${String(count).padStart(6, '0')}`;
      const stored: StoredMail = { ...mail, at: at.toISOString(), id: `${order}-${randomBytes(4).toString('hex')}` };
      writeFileAtomically(fileOf(stored.id), JSON.stringify(stored), 0o600);
      for (const dropped of mails.slice(keep - 1)) rmSync(fileOf(dropped.id), { force: true });
      mails = [stored, ...mails.slice(0, keep - 1)];
      return stored;
    },
    list: () => mails,
    get: (id) => mails.find((mail) => mail.id === id),
  };
}

function read(file: string): StoredMail[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as StoredMail];
  } catch {
    return [];
  }
}
