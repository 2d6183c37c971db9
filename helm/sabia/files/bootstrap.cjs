// Database, roles and schemas of the services, as an administrator. May be run again: passwords become those of the URLs.
// Runs in the image of a service, which has the driver of PostgreSQL.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { Client } = createRequire(join(process.cwd(), 'x'))('pg');

const RETRY_MS = 1_000;
const PATIENCE_MS = Number(process.env.WAIT_SECONDS ?? 0) * 1_000;
/** Of a server that is on its way up, or whose name is not known yet. */
const passing = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', '57P03', '53300'];

/** The database, and the password of each service's role, from the URLs of the services. */
function readUrls() {
  const passwords = {};
  let database;
  for (const [name, value] of Object.entries(process.env)) {
    const service = /^(?!ADMIN)([A-Z]+)_DATABASE_URL$/.exec(name)?.[1].toLowerCase();
    if (!service) continue;
    const url = new URL(value);
    if (url.username !== `sabia_${service}`) throw new Error(`${name} must name the role sabia_${service}`);
    database ??= decodeURIComponent(url.pathname.slice(1));
    passwords[service] = decodeURIComponent(url.password);
  }
  return { database, passwords };
}

/** A server that was installed a moment ago is waited for. */
async function connect(connectionString) {
  let told;
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await delay(RETRY_MS)) {
    const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const isPassing = passing.includes(error.code) || /timeout|terminated/.test(error.message);
      if (!isPassing || Date.now() + RETRY_MS > giveUpAt) throw error;
      if (told !== error.message) console.log(`waiting for PostgreSQL: ${error.message}`);
      told = error.message;
    }
  }
}

async function asAdministrator(name, work) {
  const url = new URL(process.env.ADMIN_DATABASE_URL);
  if (name) url.pathname = `/${encodeURIComponent(name)}`;
  const client = await connect(url.href);
  await work(client).finally(() => client.end());
}

async function main() {
  const { database, passwords } = readUrls();
  await asAdministrator(undefined, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  });
  await asAdministrator(database, async (client) => {
    const template = readFileSync(join(__dirname, 'bootstrap.sql'), 'utf8');
    await client.query(
      template.replace(/\{\{(\w+)_password\}\}/g, (placeholder, service) => {
        if (!passwords[service]) throw new Error(`there is no ${service.toUpperCase()}_DATABASE_URL with a password`);
        return passwords[service].replaceAll("'", "''");
      }),
    );
    for (const name of ['asterisk', 'edge']) {
      const password = process.env[`${name.toUpperCase()}_DATABASE_PASSWORD`];
      if (password) await client.query(`ALTER ROLE sabia_${name} PASSWORD ${client.escapeLiteral(password)}`);
    }
  });
  console.log(`roles and schemas are there, in the database ${database}`);
}

main().catch((error) => {
  console.error(`bootstrap: ${error.message}`);
  process.exitCode = 1;
});
