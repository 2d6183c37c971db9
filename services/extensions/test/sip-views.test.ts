import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { patient } from '@sabia/testkit/patient';
import { urlForRole } from '@sabia/testkit/softphone/test-edge';
import { create, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;
let asterisk: Database;
let edge: Database;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
  const log = createLogger({ name: 'test', level: 'silent' });
  const openAs = async (role: 'sabia_asterisk' | 'sabia_edge') =>
    createDatabase({ ...patient, url: await urlForRole(home.database, role), applicationName: role, poolSize: 2, log });
  [asterisk, edge] = [await openAs('sabia_asterisk'), await openAs('sabia_edge')];
  await edge.query(`SELECT * FROM sip.edge_round('edge-0', '10.0.0.1', 5070, false)`);
});

afterAll(async () => {
  await asterisk?.close();
  await edge?.close();
  await service?.stop();
  await home?.close();
});

/** The question that Asterisk's res_config_pgsql asks. */
const lookUp = async (view: string, id: string): Promise<Record<string, unknown>[]> =>
  asterisk.query(`SELECT * FROM ${view} WHERE id = '${id}'`);

/** As a SIP edge does. */
const register = (
  endpoint: string,
  { uri = 'sip:x@192.0.2.1:5060', transport = 'udp', call = 'a', seconds = 300 } = {},
) =>
  edge.query<{ register: number }>(
    `SELECT sip.register($1, $2, $3::int, 'edge-0', $4, $4, 'sip:192.0.2.1:40000' || $5, $6, '192.0.2.1', 'phone; 1.0', $7, 1)`,
    [
      endpoint,
      uri,
      seconds,
      transport,
      transport === 'udp' ? '' : `;transport=${transport}`,
      transport === 'udp' ? '' : '192.0.2.1:40000',
      call,
    ],
  );

test('a created extension is there at once, as endpoint and aor of the same name, and for the digest', async () => {
  const { admin, accountId, domain } = newAccount();
  await create(service.as(admin), { ramal: '2000', first_name: 'Ana "A" <x>', last_name: 'Souza\\' });
  const id = `2000@${domain}`;

  expect(await lookUp('node_endpoints', id)).toEqual([
    {
      id,
      aors: id,
      identify_by: 'username',
      context: 'from-extension',
      accountcode: String(accountId),
      from_domain: domain,
      callerid: '"Ana A x Souza" <2000>',
      disallow: 'all',
      allow: 'alaw,ulaw,g722,opus',
      webrtc: 'no',
      dtls_auto_generate_cert: 'no',
      media_encryption: null,
      media_encryption_optimistic: null,
      direct_media: 'no',
      rtp_symmetric: 'yes',
      force_rport: 'no',
      rewrite_contact: 'no',
      send_connected_line: 'no',
      // Nobody but the edges.
      deny: '0.0.0.0/0,::/0',
      permit: '10.0.0.1',
      rtp_timeout: 60,
      rtp_timeout_hold: 600,
      outbound_proxy: null,
    },
  ]);
  expect(await lookUp('node_aors', id)).toEqual([
    { id, max_contacts: 1, remove_existing: 'yes', qualify_frequency: 0 },
  ]);
  expect(await edge.query('SELECT * FROM edge_users WHERE domain = $1', [domain])).toEqual([
    { username: '2000', domain, ha1: createHash('md5').update(`2000:${domain}:segredo-numero-1`).digest('hex') },
  ]);
});

test('a changed senha, a changed number and a deletion are there at once', async () => {
  const { admin, domain } = newAccount();
  const { id } = await create(service.as(admin), { ramal: '2000' });
  const digestOf = async (ramal: string) =>
    (
      await edge.query<{ ha1: string }>('SELECT ha1 FROM edge_users WHERE username = $1 AND domain = $2', [
        ramal,
        domain,
      ])
    )[0]?.ha1;
  const before = await digestOf('2000');
  await service.as(admin).upsertExtension({ id, senha: 'segredo-numero-2' });
  expect(await digestOf('2000')).not.toBe(before);
  await service.as(admin).upsertExtension({ id, ramal: '2001' });
  expect([await digestOf('2000'), await digestOf('2001')]).toEqual([undefined, expect.any(String)]);
  await service.as(admin).deleteExtension({ id });
  expect(await digestOf('2001')).toBeUndefined();
  for (const view of ['node_endpoints', 'node_aors']) {
    expect(await lookUp(view, `2001@${domain}`)).toEqual([]);
  }
});

test('an endpoint is what its softphone needs, from the moment it registers, and names the edge that has it', async () => {
  const { admin, domain } = newAccount();
  await create(service.as(admin), { ramal: '2000' });
  await create(service.as(admin), { ramal: '2001' });
  const id = `2000@${domain}`;
  const profile = async (endpoint = id) => {
    const [row] = await lookUp('node_endpoints', endpoint);
    return [row!.webrtc, row!.allow, row!.media_encryption, row!.outbound_proxy];
  };
  const way = 'sip:10.0.0.1:5070^3Btransport=tcp^3Blr^3Bat=';
  const named = `^3Bphone=2000%40${domain}^3Breceived=`;

  await register(id);
  const phone = ['no', 'alaw,ulaw,g722,opus'];
  expect(await profile()).toEqual([...phone, null, `${way}udp${named}sip:192.0.2.1:40000`]);
  await register(id, { transport: 'wss', uri: 'sip:abc@x.invalid;transport=ws', call: 'b' });
  const received = `${named}sip:192.0.2.1:40000%3Btransport%3D`;
  expect(await profile()).toEqual(['yes', 'opus,alaw,ulaw,g722', null, `${way}wss${received}wss`]);
  expect(await profile(`2001@${domain}`)).toEqual([...phone, null, null]);
  await register(id, { transport: 'tls', call: 'c' });
  expect(await profile()).toEqual([...phone, 'sdes', `${way}tls${received}tls`]);
  // One softphone, whichever was the last.
  expect(await asterisk.query('SELECT endpoint, uri, user_agent FROM node_contacts WHERE endpoint = $1', [id])).toEqual(
    [{ endpoint: id, uri: 'sip:x@192.0.2.1:5060', user_agent: 'phone^3B 1.0' }],
  );
  // Too short and too long are made to fit; none at all is the end of it.
  expect(await register(id, { seconds: 1, call: 'd' })).toEqual([{ register: 60 }]);
  expect(await register(id, { seconds: 100_000, call: 'd' })).toEqual([{ register: 3600 }]);
  expect(await register(id, { seconds: 0, call: 'd' })).toEqual([{ register: 0 }]);
  expect(await profile()).toEqual([...phone, null, null]);
});

test('what a phone says of itself is stored as it is, whatever it is', async () => {
  const said = async (bytes: Buffer) =>
    (await edge.query<{ said: string }>('SELECT sip.said($1) AS said', [bytes.toString('hex')]))[0]!.said;
  expect(await said(Buffer.from(`'; DROP TABLE x; -- \\ é`))).toBe(`'; DROP TABLE x; -- \\ é`);
  expect(await said(Buffer.from([0x61, 0xe9, 0x00, 0x62]))).toBe('aéb');
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

  test('reads these views, and writes only what has become of the legs of calls', async () => {
    const ofOlderNodes = /^sip\.(ps_|contact_changes)/;
    const now = async (...rights: string[]) => (await reachable(...rights)).filter((name) => !ofOlderNodes.test(name));
    expect(await now('SELECT')).toEqual(['sip.node_aors', 'sip.node_contacts', 'sip.node_endpoints']);
    expect(await now('UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES')).toEqual([]);
    expect(await now('INSERT')).toEqual(['sip.leg_events']);
  });

  test('an edge reads views, and writes by functions alone', async () => {
    for (const statement of [
      'SELECT * FROM sip.contacts',
      'DELETE FROM sip.contacts',
      "INSERT INTO sip.bans VALUES (inet '192.0.2.1', now())",
      'SELECT * FROM extensions.extensions',
      `UPDATE sip.edge_users SET ha1 = ''`,
      'CREATE TABLE sip.mine (id int)',
    ]) {
      await expect(edge.query(statement)).rejects.toThrow(/permission denied|cannot/);
    }
  });

  test.each([
    ['a table of the service', 'SELECT * FROM extensions.extensions'],
    ['a table of another service', 'SELECT * FROM identity.users'],
    ['a function of the service', 'SELECT extensions.lowest_free_numbers(1, 1)'],
    ['a change through a view', `UPDATE node_endpoints SET aors = 'x'`],
    ['a deletion through a view', 'DELETE FROM node_endpoints'],
    ['a table of its own', 'CREATE TABLE sip.mine (id int)'],
    ['a table in public', 'CREATE TABLE public.mine (id int)'],
    ['a function of the edges', `SELECT sip.edge_started('x')`],
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
