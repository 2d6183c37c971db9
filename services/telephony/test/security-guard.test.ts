import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase, type Database } from '@sabia/service-kit/postgres/database';
import { createTelemetry, type Telemetry } from '@sabia/service-kit/telemetry';
import { makeCertificate } from '@sabia/testkit/certificate';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { patient } from '@sabia/testkit/patient';
import { promised } from '@sabia/testkit/promised';
import { createRunHome, type RunHome } from '@sabia/testkit/run-homes';
import { addExtension } from '@sabia/testkit/softphone/test-asterisk';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { startTestEdge } from '@sabia/testkit/softphone/test-edge';
import type { Kamailio } from '@sabia/embedded/kamailio/start-kamailio';
import { openPortBook } from '@sabia/embedded/process/port-book';
import { Client } from 'pg';
import { createGuardWatch, type GuardWatch } from '../src/switch/asterisk/registrar/guard-watch';

const extension = { domain: 'acme.sabia.localhost', ramal: '1000', senha: 'segredo-de-1000' };
const endpoint = `${extension.ramal}@${extension.domain}`;
const office = '127.0.1.1';
const stranger = '127.0.1.2';
const attackers = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
/** Wrong passwords of one source; the last one bans it. */
const MOST_GUESSES = 20;
const SILENCE_MS = 700;
type Transport = 'UDP' | 'TCP' | 'TLS' | 'WS';

const log = createLogger({ name: 'test', level: 'silent' });
let run: RunHome;
let database: TestDatabase;
let pool: Database;
let sql: Client;
let edges: Kamailio[] = [];
let telemetry: Telemetry;
let watch: GuardWatch;

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  pool = createDatabase({ ...patient, url: database.url, applicationName: 'telephony', poolSize: 5, log });
  sql = new Client({ connectionString: database.adminUrl });
  await sql.connect();
  await addExtension(sql, extension);
  run = await createRunHome('guard');
  const ports = openPortBook(run.path);
  const tls = makeCertificate(run.path);
  for (const name of ['edge', 'edge-2', 'edge-3'])
    edges.push(await startTestEdge(database, { home: run.path, ports, name, tls }));
  telemetry = await createTelemetry({ serviceName: 'telephony', metricsPort: 0, metricsHost: '127.0.0.1' });
  watch = createGuardWatch({ database: pool, meter: telemetry.meter, log });
  watch.start();
}, 600_000);

afterEach(async () => {
  for (const address of [...attackers, stranger]) {
    for (const edge of edges) {
      await eventually(async () => {
        // Repeated, as an edge may still be working on a guess that nobody waits for any more.
        await forgetGuesses();
        return (await registersFrom(address, edge)) === 200;
      });
    }
  }
  await sql.query('DELETE FROM sip.contacts');
  await sql.query('DELETE FROM sip.known_sources');
});

async function forgetGuesses(): Promise<void> {
  await sql.query('UPDATE sip.bans SET banned_until = now() WHERE banned_until > now()');
  for (const table of ['extension_locks', 'known_sources', 'guesses', 'contacts'])
    await sql.query(`DELETE FROM sip.${table}`);
}

afterAll(async () => {
  await watch?.stop();
  await telemetry?.shutdown();
  await Promise.all(edges.map((edge) => edge.kill()));
  edges = [];
  await sql?.end();
  await pool?.close();
  await database?.drop();
  run?.remove();
});

interface From {
  transport?: Transport;
  edge?: Kamailio;
  /** Of the client, behind a gateway. */
  forwardedFor?: string;
}

const openLine = (address: string, { transport = 'UDP', edge = edges[0]!, forwardedFor }: From = {}) =>
  SipLine.open({
    ...{ transport, address, server: { UDP: edge.sipUdp, TCP: edge.sipTcp, TLS: edge.sipTls, WS: edge.ws }[transport] },
    headers: forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor },
  });

interface Attempts {
  senha?: string;
  ramal?: string;
  times?: number;
  expiresSeconds?: number;
  /** After so many of them silence is expected. Default: none. */
  silentAfter?: number;
}

/** The statuses of several attempts on one connection. Undefined: no response, or no connection. */
async function attempt(
  address: string,
  from: From,
  {
    senha = extension.senha,
    ramal = extension.ramal,
    times = 1,
    expiresSeconds,
    silentAfter = Infinity,
  }: Attempts = {},
): Promise<(number | undefined)[]> {
  const line = await openLine(address, from).catch(() => undefined);
  if (line === undefined) return [undefined];
  const statuses = [];
  try {
    for (let nth = 0; nth < times; nth++) {
      if (nth >= silentAfter) line.answerMs = SILENCE_MS;
      const status = await line.register({ ...extension, ramal, senha }, expiresSeconds).catch(() => undefined);
      statuses.push(status);
      if (status === undefined) break;
    }
    return statuses;
  } finally {
    line.close();
  }
}

const guess = (address: string, times: number, from: From = {}) =>
  attempt(address, from, { senha: 'a-wrong-guess', times, silentAfter: MOST_GUESSES });

/** Goes on at one edge until that edge refuses the source, which guesses at others meanwhile. */
async function guessUntilBanned(address: string, from: From): Promise<void> {
  const line = await openLine(address, from);
  // Silence before the ban is a slow answer, and the next guess follows.
  if (from.transport === 'UDP') line.answerMs = SILENCE_MS;
  try {
    await eventually(
      async () => {
        const status = await line.register({ ...extension, senha: 'a-wrong-guess' }).catch(() => undefined);
        return status !== 401 && (await banned()).includes(address);
      },
      { intervalMs: 0 },
    );
  } finally {
    line.close();
  }
}

/** Of each banned source: how many milliseconds after the guess that banned it the last one was taken up. */
async function guessesAfterBans(): Promise<{ source: string; after: number }[]> {
  const { rows } = await sql.query<{ source: string; after: number }>(
    `SELECT host(source) AS source,
       (extract(epoch FROM max(guessed_at) - min(guessed_at) FILTER (WHERE nth = $1)) * 1000)::float8 AS after
     FROM (SELECT source, guessed_at, row_number() OVER (PARTITION BY source ORDER BY guessed_at) AS nth FROM sip.guesses) AS guess
     GROUP BY guess.source`,
    [MOST_GUESSES],
  );
  return rows;
}

/** Over TCP a banned source is answered, too, so that no answer is waited for in vain. */
const registersFrom = async (address: string, edge = edges[0]!, expiresSeconds = 300) =>
  (await attempt(address, { edge, transport: 'TCP' }, { expiresSeconds }))[0];

/** Waits until the edge says nothing to a source any more. */
const isSilentTo = (address: string, edge: Kamailio) =>
  eventually(async () => (await attempt(address, { edge }, { silentAfter: 0 }))[0] === undefined);

async function banned(): Promise<string[]> {
  const { rows } = await sql.query<{ source: string }>(
    'SELECT host(source) AS source FROM sip.bans WHERE banned_until > now() ORDER BY sip.bans.source',
  );
  return rows.map(({ source }) => source);
}

async function isLocked(): Promise<boolean> {
  const { rowCount } = await sql.query('SELECT FROM sip.extension_locks WHERE endpoint = $1', [endpoint]);
  return rowCount === 1;
}

const metric = async (name: string): Promise<string> => {
  const text = await (await fetch(`http://127.0.0.1:${telemetry.metricsPort}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(name)) ?? '';
};

test.each(['UDP', 'TCP', 'TLS', 'WS'] as const)(
  'twenty wrong passwords over %s ban their source at every edge',
  async (transport) => {
    const statuses = await guess('127.0.0.2', 60, { transport });
    expect(statuses.slice(0, MOST_GUESSES)).toEqual(Array(MOST_GUESSES).fill(401));
    // Over UDP silence, else 403.
    expect(statuses[MOST_GUESSES]).toBe(transport === 'UDP' ? undefined : 403);
    expect(await banned()).toEqual(['127.0.0.2']);
    for (const edge of edges) await isSilentTo('127.0.0.2', edge);
    // The handshake of a WebSocket is refused, too; another source is not.
    for (const edge of edges) await expect(openLine('127.0.0.2', { transport: 'WS', edge })).rejects.toThrow('403');
    expect(await registersFrom(stranger)).toBe(200);
  },
);

describe.each(['UDP', 'TCP', 'TLS', 'WS'] as const)('sixty from each of five addresses over %s', (transport) => {
  test('are banned at all edges within a second and freed in time; the own phone is never thrown out', async () => {
    const own = await openLine(office);
    expect(await own.register(extension)).toBe(200);
    const contact = async () => (await sql.query<{ uri: string }>('SELECT uri FROM sip.contacts')).rows;
    const before = await contact();

    await Promise.all(
      attackers.flatMap((address) => edges.map((edge) => guessUntilBanned(address, { edge, transport }))),
    );
    expect(await banned()).toEqual(attackers);
    // By the clock of PostgreSQL, where each guess is noted: no edge took one up a second after the one that banned its source.
    for (const { source, after } of await guessesAfterBans())
      expect([source, after < promised(1_000), after]).toEqual([source, true, after]);

    expect(await isLocked()).toBe(true);
    // To a stranger the right password looks wrong now, at every edge; the office goes on. One that unregisters before an edge knows of
    // the lock changes nothing.
    for (const edge of edges) await eventually(async () => (await registersFrom(stranger, edge, 0)) === 401);
    expect(await contact()).toEqual(before);
    expect(await own.register(extension)).toBe(200);
    own.close();
    await eventually(async () => / [1-9]\d*$/.test(await metric('sabia_sip_extension_locks_total')));
    await eventually(async () => / [1-9]\d*$/.test(await metric('sabia_sip_banned_sources')));

    await sql.query('UPDATE sip.extension_locks SET locked_until = now()');
    const { rows } = await sql.query<{ until: Date }>(
      `UPDATE sip.bans SET banned_until = now() + interval '1 second' RETURNING banned_until AS until`,
    );
    const until = rows[0]!.until.getTime();
    for (const edge of edges) {
      for (const address of attackers) await eventually(async () => (await registersFrom(address, edge)) === 200);
    }
    const { rows: first } = await sql.query<{ at: Date }>(
      'SELECT min(seen_at) AS at FROM sip.known_sources WHERE address = ANY ($1::inet[])',
      [attackers],
    );
    const freedAfter = first[0]!.at.getTime() - until;
    expect([freedAfter >= 0, freedAfter < promised(2_000), freedAfter]).toEqual([true, true, freedAfter]);
  });
});

test('web phones behind a gateway are banned one by one; nobody else is believed', async () => {
  const gateway = { transport: 'WS' as const };
  await guess('127.0.0.1', 25, { ...gateway, forwardedFor: '203.0.113.7' });
  expect(await banned()).toEqual(['203.0.113.7']);
  await expect(openLine('127.0.0.1', { ...gateway, forwardedFor: '203.0.113.7' })).rejects.toThrow('403');
  expect(await attempt('127.0.0.1', { ...gateway, forwardedFor: '203.0.113.8' })).toEqual([200]);
  // Of IPv6 the whole network counts.
  await guess('127.0.0.1', 25, { ...gateway, forwardedFor: '2001:db8:0:7::1' });
  await expect(openLine('127.0.0.1', { ...gateway, forwardedFor: '2001:db8:0:7::2' })).rejects.toThrow('403');
  expect(await attempt('127.0.0.1', { ...gateway, forwardedFor: '2001:db8:0:8::1' })).toEqual([200]);
  // A client that comes without a gateway says nothing about others.
  await guess('127.0.0.3', 25, { ...gateway, forwardedFor: '203.0.113.9' });
  expect(await banned()).toEqual(['127.0.0.3', '203.0.113.7', '2001:db8:0:7::']);
});

test('a spared source is not banned; an extension that is not there looks like one that is', async () => {
  expect(await guess('127.0.0.1', 22)).toEqual(Array(22).fill(401));
  const [known, unknown] = [
    await attempt('127.0.0.2', {}, { senha: 'wrong' }),
    await attempt('127.0.0.2', {}, { senha: 'wrong', ramal: '9999' }),
  ];
  expect(unknown).toEqual(known);
  expect(await banned()).toEqual([]);
  await eventually(async () =>
    / 2\d$/.test(await metric('sabia_sip_failed_authentications_total{source="127.0.0.1",transport="UDP"')),
  );
});

test('a ban that is lifted at once ends at the edge that set it, too', async () => {
  await guess('127.0.0.2', 21, { transport: 'TCP' });
  await forgetGuesses();
  await eventually(async () => (await registersFrom('127.0.0.2')) === 200);
});
