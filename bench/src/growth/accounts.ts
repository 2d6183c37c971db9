import type { Client } from 'pg';
import { signUp } from '../filled-account';
import type { OpenStack } from '../stack';
import { withDatabase } from '../with-database';
import type { Axis } from './axis';
import { get, overHttp } from './jobs';

/** Each request is one of another account; more than a gateway keeps the tokens of would say nothing about a usual day. */
const askers = 2_000;

/** More and more companies use one deployment. They are copies of one that was opened through the API, with tokens of their own. */
export function accounts(openStack: OpenStack): Axis {
  let domain = '';
  let written = 0;
  return {
    name: 'accounts',
    title: 'accounts',
    sizes: [2_000, 20_000, 200_000],
    async grow(size, say) {
      const stack = await openStack();
      if (domain === '') ({ domain } = await signUp(stack));
      say(`opening ${(size - written).toLocaleString('en')} accounts …`);
      await withDatabase(stack, (client) => copyAccounts(client, domain, written + 1, size));
      written = size;
      const tokenOf = (nth: number): string => `growth-${1 + Math.floor(((nth % askers) * size) / askers)}`;
      return {
        stack,
        jobs: [
          overHttp(stack, 'who am I', (nth) => get('/users/me', tokenOf(nth))),
          overHttp(stack, 'the webhooks of an account', (nth) => get('/integrations', tokenOf(nth))),
          overHttp(stack, 'the calls of an account', (nth) => get('/calls', tokenOf(nth))),
        ],
      };
    },
    close: () => Promise.resolve(),
  };
}

async function copyAccounts(client: Client, domain: string, first: number, last: number): Promise<void> {
  const copy = (table: string, replaced: Record<string, string>, from: string): Promise<unknown> =>
    copyRows(client, table, replaced, from, [domain, first, last]);
  const series = 'generate_series($2::bigint, $3::bigint) AS n';
  const copied = `'growth-' || n || '.sabia.localhost'`;
  await copy('identity.accounts', { domain: copied, uuid: 'gen_random_uuid()' }, `${series} WHERE old.domain = $1`);
  const own = `JOIN identity.accounts a ON a.domain = $1 AND a.id = old.account_id, ${series} JOIN identity.accounts b ON b.domain = ${copied}`;
  await copy(
    'identity.users',
    { uuid: 'gen_random_uuid()', account_id: 'b.id', email: `'growth-' || n || '@example.com'` },
    own,
  );
  await copy(
    'identity.access_tokens',
    { token_hash: `sha256(('growth-' || n)::bytea)`, user_id: 'u.id' },
    `JOIN identity.users o ON o.id = old.user_id JOIN identity.accounts a ON a.domain = $1 AND a.id = o.account_id,
     ${series} JOIN identity.users u ON u.email = 'growth-' || n || '@example.com'`,
  );
  await copy('extensions.extensions', { account_id: 'b.id', domain: copied }, own);
  await client.query(
    'VACUUM (ANALYZE) identity.accounts, identity.users, identity.access_tokens, extensions.extensions',
  );
}

/** Columns that are generated are left out. */
async function copyRows(
  client: Client,
  table: string,
  replaced: Record<string, string>,
  from: string,
  values: unknown[],
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = '' AND attgenerated = ''`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const read = columns.map((name) => replaced[name] ?? `old.${name}`);
  const join = from.startsWith('JOIN') ? from : `, ${from}`;
  await client.query(
    `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${read.join(', ')} FROM ${table} AS old ${join}`,
    values,
  );
}
