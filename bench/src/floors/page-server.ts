import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anyValue } from '@sabia/service-kit/postgres/any-value';
import { recentMonths } from '@sabia/service-kit/postgres/partitions/months';
import { Pool } from 'pg';

/*
 * What a page of calls costs where one process asks PostgreSQL for it and writes it as JSON: the same columns, found as the product finds
 * them, and no token, limit, filter or total. Started with the URL of the database, the id of the account and the size of
 * a page.
 */
const [postgresUrl, accountId, size] = process.argv.slice(2);
const perPage = Number(size);
const months = recentMonths().hold('id');
const text = `
  SELECT id, domain, call_type, started_at, ended_at, from_number, to_number, duration, hangup_cause, record_url, email, first_name,
    last_name, bina, minute_price, call_price, metadata, answered_at, billed_seconds, status, call_type AS direction,
    coalesce(called, to_number) AS called
  FROM telephony.calls
  WHERE id = ANY (ARRAY(
    SELECT id FROM telephony.calls WHERE account_id = ${anyValue('$1', 'bigint')} AND ${months}
    ORDER BY account_id DESC, id DESC LIMIT ${perPage} OFFSET ${anyValue('$2', 'bigint')}
  )) AND ${months}
  ORDER BY id DESC`;
const pool = new Pool({ connectionString: postgresUrl, max: 8 });

async function pageOf(nth: number): Promise<string> {
  const { rows } = await pool.query({ name: 'page', text, values: [accountId, (nth - 1) * perPage] });
  if (rows.length < perPage) throw new Error(`page ${nth} has ${rows.length} calls`);
  return JSON.stringify({ data: rows });
}

const server = createServer((request, response) => {
  const nth = Number(new URL(request.url ?? '', 'http://floor').searchParams.get('page'));
  pageOf(nth).then(
    (body) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    },
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => {
  server.closeAllConnections();
  server.close();
  void pool.end();
});
