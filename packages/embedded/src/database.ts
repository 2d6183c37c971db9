import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@sabia/service-kit/logging';
import { migrate } from '@sabia/service-kit/postgres/migrate';
import type { MigrationDirectory } from '@sabia/service-kit/postgres/migration-files';
import { Client } from 'pg';
import { projectRoot } from './project';
import type { ServiceName } from './service-names';

export { serviceNames, type ServiceName } from './service-names';

export const databaseName = 'sabia';

/** The URL of another database of the same server and, where given, of another role. */
export function databaseUrl(server: string, database: string, role?: { name: string; password: string }): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  if (role) Object.assign(url, { username: role.name, password: role.password });
  return url.href;
}

export function roleOf(service: ServiceName): string {
  return `sabia_${service}`;
}

export async function ensureDatabase(serverUrl: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [databaseName]);
    if (!rowCount) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
}

/** Creates roles and schemas, as a superuser, in the database that will hold the schemas. Can be repeated. */
export async function bootstrap(url: string, passwords: Record<ServiceName, string>): Promise<void> {
  const template = readFileSync(join(projectRoot, 'deploy/postgres/bootstrap.sql'), 'utf8');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(fillPlaceholders(template, passwords));
  } finally {
    await client.end();
  }
}

/** The roles with which Asterisk and the SIP edges reach schema sip; bootstrap.sql creates them without a password. */
export const sipRoles = ['sabia_asterisk', 'sabia_edge'] as const;
export type SipRole = (typeof sipRoles)[number];

export async function giveSipPasswords(url: string, passwordOf: (role: SipRole) => string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const role of sipRoles) {
      await client.query(`ALTER ROLE ${role} PASSWORD ${client.escapeLiteral(passwordOf(role))}`);
    }
  } finally {
    await client.end();
  }
}

/** The placeholders stand inside the quotes of a literal. */
export function fillPlaceholders(template: string, passwords: Record<ServiceName, string>): string {
  return template.replace(/\{\{(\w+)_password\}\}/g, (placeholder, name: string) => {
    const password = passwords[name as ServiceName];
    if (!password) throw new Error(`bootstrap.sql asks for ${placeholder}, and there is no service of that name`);
    return password.replaceAll("'", "''");
  });
}

/** Migrates as the service's `main.js migrate` does, without the second that a process takes to load. */
export async function migrateService(service: ServiceName, url: string): Promise<void> {
  await migrate({ url, directories: ownMigrations(service), log: createLogger({ name: 'migrate', level: 'silent' }) });
}

function ownMigrations(service: ServiceName): MigrationDirectory[] {
  const path = join(projectRoot, 'services', service, 'migrations');
  return existsSync(path) ? [{ set: service, path }] : [];
}
