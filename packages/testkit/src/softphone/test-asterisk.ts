import { createHash } from 'node:crypto';
import path from 'node:path';
import { startAsterisk, type Asterisk } from '@sabia/embedded/asterisk/start-asterisk';
import { inheritedEnvironment } from '@sabia/embedded/config';
import { Client } from 'pg';
import type { TestDatabase } from '../database';
import { eventually } from '../eventually';
import { createRunHome, sharedCache } from '../run-homes';

/** Roles belong to the whole server, so all test files give this one the same password. */
const PASSWORD = 'test';

export interface TestExtension {
  domain: string;
  ramal: string;
  senha: string;
}

export interface TestAsterisk extends Asterisk {
  /** A superuser's connection to the database that Asterisk uses. */
  sql: Client;
  /** Inserts a row as the extensions service does; the extension can register immediately. */
  addExtension(extension: TestExtension): Promise<void>;
  changeSenha(extension: TestExtension): Promise<void>;
  /** Where Asterisk keeps recordings until they are fetched. */
  recordingFolder: string;
}

/** Starts an Asterisk for one test file, with the extensions of its database. */
export async function startTestAsterisk(database: TestDatabase): Promise<TestAsterisk> {
  const sql = new Client({ connectionString: database.adminUrl });
  await sql.connect();
  // PostgreSQL refuses this when another file does the same at the same moment.
  await eventually(() => sql.query(`ALTER ROLE sabia_asterisk PASSWORD '${PASSWORD}'`));
  const url = new URL(database.adminUrl);
  url.username = 'sabia_asterisk';
  url.password = PASSWORD;
  const home = await createRunHome('asterisk');
  const asterisk = await startAsterisk({
    home: home.path,
    cache: sharedCache,
    postgresUrl: url.href,
    path: inheritedEnvironment().PATH,
  });
  if (!asterisk) throw new Error('there is no Asterisk to test with');

  return Object.assign(asterisk, {
    sql,
    recordingFolder: path.join(home.path, 'asterisk/spool/recording'),
    async addExtension({ domain, ramal, senha }: TestExtension) {
      await sql.query(
        `INSERT INTO extensions.extensions (account_id, domain, ramal, senha_sealed, senha_key_id, ha1, first_name, last_name,
           email_address, gravar_audio, registration_changed_at, created_at, updated_at)
         VALUES (1 + abs(hashtext($1)), $1, $2, '', 'test', $3, 'Ana', 'Souza', 'ana@example.com', false, now(), now(), now())`,
        [domain, ramal, digest({ domain, ramal, senha })],
      );
    },
    async changeSenha(extension: TestExtension) {
      await sql.query('UPDATE extensions.extensions SET ha1 = $3 WHERE domain = $1 AND ramal = $2', [
        extension.domain,
        extension.ramal,
        digest(extension),
      ]);
    },
    stop: async () => {
      await asterisk.kill();
      await sql.end();
      home.remove();
    },
  });
}

function digest({ domain, ramal, senha }: TestExtension): string {
  return createHash('md5').update(`${ramal}:${domain}:${senha}`).digest('hex');
}
