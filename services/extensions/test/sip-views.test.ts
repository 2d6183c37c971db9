import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { create, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;
let asterisk: Database;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
  await home.admin.query(`ALTER ROLE sabia_asterisk PASSWORD 'test'`);
  const url = new URL(home.database.adminUrl);
  url.username = 'sabia_asterisk';
  url.password = 'test';
  const log = createLogger({ name: 'test', level: 'silent' });
  asterisk = createDatabase({ url: url.href, applicationName: 'asterisk', poolSize: 2, log });
});

afterAll(async () => {
  await asterisk?.close();
  await service?.stop();
  await home?.close();
});

/** The question that Asterisk's res_config_pgsql asks. */
const lookUp = async (view: string, id: string): Promise<Record<string, unknown>[]> =>
  asterisk.query(`SELECT * FROM ${view} WHERE id = '${id}'`);

test('a created extension is there at once, as endpoint, auth and aor of the same name', async () => {
  const { admin, accountId, domain } = newAccount();
  await create(service.as(admin), { ramal: '2000', first_name: 'Ana "A" <x>', last_name: 'Souza\\' });
  const id = `2000@${domain}`;

  expect(await lookUp('ps_endpoints', id)).toEqual([
    {
      id,
      aors: id,
      auth: id,
      identify_by: 'auth_username,username',
      context: 'from-extension',
      accountcode: String(accountId),
      from_domain: domain,
      callerid: '"Ana A x Souza" <2000>',
      disallow: 'all',
      allow: 'alaw,ulaw,g722,opus',
      webrtc: 'no',
      dtls_auto_generate_cert: 'no',
      direct_media: 'no',
      rtp_symmetric: 'yes',
      force_rport: 'yes',
      rewrite_contact: 'yes',
      send_connected_line: 'no',
      deny: null,
      permit: null,
      rtp_timeout: 60,
      rtp_timeout_hold: 600,
    },
  ]);
  expect(await lookUp('ps_auths', id)).toEqual([
    {
      id,
      auth_type: 'digest',
      username: '2000',
      realm: domain,
      password_digest: `MD5:${createHash('md5').update(`2000:${domain}:segredo-numero-1`).digest('hex')}`,
    },
  ]);
  expect(await lookUp('ps_aors', id)).toEqual([
    {
      id,
      max_contacts: 1,
      remove_existing: 'yes',
      minimum_expiration: 60,
      default_expiration: 300,
      maximum_expiration: 3600,
      qualify_frequency: 60,
    },
  ]);
});

test('a changed senha, a changed number and a deletion are there at once', async () => {
  const { admin, domain } = newAccount();
  const { id } = await create(service.as(admin), { ramal: '2000' });
  const digestOf = async (ramal: string) => (await lookUp('ps_auths', `${ramal}@${domain}`))[0]?.password_digest;
  const before = await digestOf('2000');
  await service.as(admin).upsertExtension({ id, senha: 'segredo-numero-2' });
  expect(await digestOf('2000')).not.toBe(before);
  await service.as(admin).upsertExtension({ id, ramal: '2001' });
  expect([await digestOf('2000'), await digestOf('2001')]).toEqual([undefined, expect.any(String)]);
  await service.as(admin).deleteExtension({ id });
  for (const view of ['ps_endpoints', 'ps_auths', 'ps_aors']) {
    expect(await lookUp(view, `2001@${domain}`)).toEqual([]);
  }
});

test('the same number in two accounts stays apart', async () => {
  const one = newAccount();
  const other = newAccount();
  await create(service.as(one.admin), { ramal: '2000' });
  await create(service.as(other.admin), { ramal: '2000' });
  const [mine] = await lookUp('ps_auths', `2000@${one.domain}`);
  const [theirs] = await lookUp('ps_auths', `2000@${other.domain}`);
  expect(mine!.password_digest).not.toBe(theirs!.password_digest);
});

test('an endpoint is what its softphone needs, from the moment it registers', async () => {
  const { admin, domain } = newAccount();
  await create(service.as(admin), { ramal: '2000' });
  await create(service.as(admin), { ramal: '2001' });
  const id = `2000@${domain}`;
  const register = async (uri: string): Promise<void> => {
    await asterisk.query('DELETE FROM ps_contacts WHERE endpoint = $1', [id]);
    await asterisk.query('INSERT INTO ps_contacts (id, endpoint, uri, expiration_time) VALUES ($1, $2, $3, 0)', [
      `${id};@0`,
      id,
      uri,
    ]);
  };
  const profile = async (endpoint = id) => {
    const [row] = await lookUp('ps_endpoints', endpoint);
    return [row!.webrtc, row!.dtls_auto_generate_cert, row!.allow];
  };
  const phone = ['no', 'no', 'alaw,ulaw,g722,opus'];
  const browser = ['yes', 'yes', 'opus,alaw,ulaw,g722'];

  await register('sip:2000@192.0.2.1:5060');
  expect(await profile()).toEqual(phone);
  await register('sip:abc@192.0.2.1:40000^3Btransport=ws');
  expect(await profile()).toEqual(browser);
  expect(await profile(`2001@${domain}`)).toEqual(phone);
  await register('sip:abc@192.0.2.1:40000;transport=WSS;ob');
  expect(await profile()).toEqual(browser);
  await register('sip:2000@192.0.2.1:5060^3Btransport=TCP');
  expect(await profile()).toEqual(phone);
});

test('while an extension is locked, its endpoint is there for the spared and for where it was registered from', async () => {
  const { admin, domain } = newAccount();
  await create(service.as(admin), { ramal: '2000' });
  await create(service.as(admin), { ramal: '2001' });
  const id = `2000@${domain}`;
  const rules = async (endpoint = id) => {
    const [row] = await lookUp('ps_endpoints', endpoint);
    return [row!.deny, row!.permit];
  };
  const lock = (seconds: number) =>
    home.admin.query(
      `INSERT INTO sip.extension_locks VALUES ($1, now() + make_interval(secs => $2), '127.0.0.1,10.0.0.0/8')
       ON CONFLICT (endpoint) DO UPDATE SET locked_until = excluded.locked_until`,
      [id, seconds],
    );

  await lock(600);
  expect(await rules()).toEqual(['0.0.0.0/0,::/0', '127.0.0.1,10.0.0.0/8']);
  await home.admin.query(
    `INSERT INTO sip.known_sources
     SELECT $1, ('192.0.2.' || nth)::inet, now() - make_interval(hours => nth) FROM generate_series(1, 12) AS nth`,
    [id],
  );
  const newest = Array.from({ length: 10 }, (_, nth) => `192.0.2.${nth + 1}`);
  expect(await rules()).toEqual(['0.0.0.0/0,::/0', ['127.0.0.1,10.0.0.0/8', ...newest].join(',')]);
  expect(await rules(`2001@${domain}`)).toEqual([null, null]);
  await lock(-1);
  expect(await rules()).toEqual([null, null]);
});

describe('the table of what becomes of legs', () => {
  const owner = () =>
    home.admin.query(`SELECT tableowner FROM pg_tables WHERE schemaname = 'sip' AND tablename = 'leg_events'`);

  test('comes with the migrations, so that an upgrade brings it', async () => {
    expect(await owner()).toEqual([{ tableowner: 'sabia_extensions' }]);
  });

  test('stays as it is where the administrator has made it', async () => {
    const migration = readFileSync(join(__dirname, '../migrations/0010_create_leg_events.sql'), 'utf8');
    await home.admin.query('ALTER TABLE sip.leg_events OWNER TO CURRENT_USER');
    await home.sql.query(migration);
    expect(await owner()).not.toEqual([{ tableowner: 'sabia_extensions' }]);
    await home.admin.query('ALTER TABLE sip.leg_events OWNER TO sabia_extensions');
  });
});

describe('the role of Asterisk', () => {
  test('finds the views without naming their schema', async () => {
    expect(await asterisk.query('SELECT current_schema() AS schema, current_user AS role')).toEqual([
      { schema: 'sip', role: 'sabia_asterisk' },
    ]);
  });

  const reachable = async (...privileges: string[]): Promise<string[]> => {
    const relations = await asterisk.query<{ name: string }>(
      `SELECT format('%s.%s', n.nspname, c.relname) AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')
         AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
         AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, $1)
       ORDER BY 1`,
      [privileges.join(', ')],
    );
    return relations.map(({ name }) => name);
  };

  test('reads these views, and of tables only where softphones are', async () => {
    expect(await reachable('SELECT')).toEqual(['sip.ps_aors', 'sip.ps_auths', 'sip.ps_contacts', 'sip.ps_endpoints']);
  });

  test('writes only where softphones are, and what has become of them and of the legs of calls', async () => {
    expect(await reachable('UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES')).toEqual(['sip.ps_contacts']);
    expect(await reachable('INSERT')).toEqual(['sip.contact_changes', 'sip.leg_events', 'sip.ps_contacts']);
  });

  test.each([
    ['a table of the service', 'SELECT * FROM extensions.extensions'],
    ['a table of another service', 'SELECT * FROM identity.users'],
    ['a function of the service', 'SELECT extensions.lowest_free_numbers(1, 1)'],
    ['a change through a view', `UPDATE ps_auths SET username = 'x'`],
    ['a deletion through a view', 'DELETE FROM ps_endpoints'],
    ['a table of its own', 'CREATE TABLE sip.mine (id int)'],
    ['a table in public', 'CREATE TABLE public.mine (id int)'],
    ['another role', 'SET ROLE sabia_extensions'],
  ])('is refused %s', async (_what, statement) => {
    await expect(asterisk.query(statement)).rejects.toThrow(/permission denied|read-only|cannot/);
    await expect(
      asterisk.transaction(async (tx) => {
        await tx.query('SET TRANSACTION READ WRITE');
        await tx.query(statement);
      }),
    ).rejects.toThrow(/permission denied|cannot/);
  });
});
