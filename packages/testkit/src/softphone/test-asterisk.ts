import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startAsterisk, type Asterisk } from '@sabia/embedded/asterisk/start-asterisk';
import { inheritedEnvironment } from '@sabia/embedded/config';
import type { Kamailio } from '@sabia/embedded/kamailio/start-kamailio';
import { openPortBook } from '@sabia/embedded/process/port-book';
import { Client } from 'pg';
import type { TestDatabase } from '../database';
import { createRunHome, sharedCache } from '../run-homes';
import { startTestEdge, urlForRole, type TestEdgeOptions } from './test-edge';

const PING_MS = 10_000;

export interface TestExtension {
  domain: string;
  ramal: string;
  senha: string;
}

export interface TestAsterisk extends Asterisk {
  /** The SIP edge in front of it. */
  edge: Kamailio;
  /** host:port of the edge, for softphones and carriers. */
  sipUdp: string;
  sipTcp: string;
  /** Of the edge, as the gateway uses it. */
  ws: string;
  /** A superuser's connection to the database that Asterisk uses. */
  sql: Client;
  /** Inserts a row as the extensions service does; the extension can register immediately. */
  addExtension(extension: TestExtension): Promise<void>;
  changeSenha(extension: TestExtension): Promise<void>;
  /** Where Asterisk keeps recordings until they are fetched. */
  recordingFolder: string;
}

/** Starts an Asterisk with an edge before it for one test file, with the extensions of its database. */
export async function startTestAsterisk(
  database: TestDatabase,
  edgeOptions: Partial<TestEdgeOptions> = {},
): Promise<TestAsterisk> {
  const sql = new Client({ connectionString: database.adminUrl });
  await sql.connect();
  const home = await createRunHome('asterisk');
  const ports = openPortBook(home.path);
  const asterisk = await startAsterisk({
    home: home.path,
    cache: sharedCache,
    postgresUrl: await urlForRole(database, 'sabia_asterisk'),
    path: inheritedEnvironment().PATH,
    ports,
  });
  if (!asterisk) throw new Error('there is no Asterisk to test with');

  // As telephony does; not all tests have one.
  await sql.query(
    `INSERT INTO sip.switches (name, sip_host, sip_port, capacity, state) VALUES ('asterisk', $1, $2, 150, 'active')`,
    [asterisk.sip.host, asterisk.sip.port],
  );
  const sharedPort = await ports.take('edges');
  const edge = await startTestEdge(database, { home: home.path, ports, sharedPort, ...edgeOptions });

  const { sipUdp, sipTcp, ws } = edge;
  const { kill, stop } = asterisk;
  return Object.assign(asterisk, {
    ...{ sql, edge, sipUdp, sipTcp, ws },
    recordingFolder: path.join(home.path, 'asterisk/spool/recording'),
    addExtension: (extension: TestExtension) => addExtension(sql, extension),
    async changeSenha(extension: TestExtension) {
      await sql.query('UPDATE extensions.extensions SET ha1 = $3 WHERE domain = $1 AND ramal = $2', [
        extension.domain,
        extension.ramal,
        digest(extension),
      ]);
    },
    stop: async () => {
      await warnIfSilent(asterisk, path.join(home.path, 'logs/asterisk.log'));
      // Killed, because that is quicker; stopped, so that others get its ports.
      await Promise.all([kill().then(stop), edge.kill()]);
      await sql.end();
      home.remove();
    },
  });
}

/** Tests of a switch that has gone fail for reasons that do not name it. */
async function warnIfSilent({ ariUrl, ariUser, ariPassword, pid }: Asterisk, logFile: string): Promise<void> {
  try {
    const authorization = `Basic ${Buffer.from(`${ariUser}:${ariPassword}`).toString('base64')}`;
    await fetch(`${ariUrl}/asterisk/ping`, { headers: { authorization }, signal: AbortSignal.timeout(PING_MS) });
  } catch (error) {
    const state = pid === undefined ? 'had ended' : 'ran, but did not answer';
    process.stderr.write(
      `At the end of the tests Asterisk ${state} (${String(error)}); its last words:\n${lastLines(logFile)}\n`,
    );
  }
}

const lastLines = (file: string): string => readFileSync(file, 'utf8').split('\n').slice(-30).join('\n');

/** Inserts a row as the extensions service does. */
export async function addExtension(sql: Client, { domain, ramal, senha }: TestExtension): Promise<void> {
  await sql.query(
    `INSERT INTO extensions.extensions (account_id, domain, ramal, senha_sealed, senha_key_id, ha1, first_name, last_name,
       email_address, gravar_audio, registration_changed_at, created_at, updated_at)
     VALUES (1 + abs(hashtext($1)), $1, $2, '', 'test', $3, 'Ana', 'Souza', 'ana@example.com', false, now(), now(), now())`,
    [domain, ramal, digest({ domain, ramal, senha })],
  );
}

function digest({ domain, ramal, senha }: TestExtension): string {
  return createHash('md5').update(`${ramal}:${domain}:${senha}`).digest('hex');
}
