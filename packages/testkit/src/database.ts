import { randomBytes } from 'node:crypto';
import {
  bootstrap,
  databaseUrl,
  migrateService,
  roleOf,
  serviceNames,
  type ServiceName,
} from '@sabia/embedded/database';
import { Client, escapeLiteral } from 'pg';
import { testServers } from './config';

const TEMPLATE = 'sabia_template';
const PASSWORD = 'test';
/** An arbitrary advisory lock: one process at a time builds the template. */
const TEMPLATE_LOCK = 7_302_114;

export interface TestDatabase {
  /** With the role of the service. */
  url: string;
  /** With the superuser. */
  adminUrl: string;
  drop(): Promise<void>;
}

const urlOf = (service: ServiceName, database: string) =>
  databaseUrl(testServers().postgresUrl, database, { name: roleOf(service), password: PASSWORD });

/** Creates a database for one test file: a copy of a template with the migrated schemas of all services. */
export async function createTestDatabase(service: ServiceName): Promise<TestDatabase> {
  const { postgresUrl } = testServers();
  const name = `test_${service}_${randomBytes(6).toString('hex')}`;
  await asAdmin(postgresUrl, async (admin) => {
    const failures = await ensureTemplate(admin, postgresUrl);
    if (failures[service]) throw new Error(`the migrations of ${service} fail: ${failures[service]}`);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  });
  return {
    url: urlOf(service, name),
    adminUrl: databaseUrl(postgresUrl, name),
    drop: () =>
      asAdmin(postgresUrl, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

/** Reasons why migrations failed, by service: they fail the tests of that service only. */
type Failures = Partial<Record<ServiceName, string>>;

async function ensureTemplate(admin: Client, postgresUrl: string): Promise<Failures> {
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rows } = await admin.query<{ failures: string }>(
      `SELECT shobj_description(oid, 'pg_database') AS failures FROM pg_database WHERE datname = $1`,
      [TEMPLATE],
    );
    if (rows[0]) return JSON.parse(rows[0].failures) as Failures;
    // Built under another name, so that a run that fails half-way leaves no template.
    const building = `${TEMPLATE}_building`;
    await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${building}`);
    const passwords = Object.fromEntries(serviceNames.map((service) => [service, PASSWORD]));
    await bootstrap(databaseUrl(postgresUrl, building), passwords as Record<ServiceName, string>);
    const failures: Failures = {};
    for (const service of serviceNames) {
      try {
        await migrateService(service, urlOf(service, building));
      } catch (error) {
        failures[service] = error instanceof Error ? error.message : String(error);
      }
    }
    await admin.query(`COMMENT ON DATABASE ${building} IS ${escapeLiteral(JSON.stringify(failures))}`);
    await admin.query(`ALTER DATABASE ${building} RENAME TO ${TEMPLATE}`);
    return failures;
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function asAdmin(url: string, work: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
