import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

/*
 * What a page of calls costs where one process asks PostgreSQL for it and writes it as JSON: the same columns, and no token, limit, filter
 * or total. Started with the URL of the database and the id of the account.
 */
const [postgresUrl, accountId] = process.argv.slice(2);
const perPage = 50;
const page = {
  name: 'page',
  text: `SELECT id, domain, call_type, started_at, ended_at, from_number, to_number, duration, hangup_cause, record_url, email, first_name,
           last_name, bina, minute_price, call_price, metadata, answered_at, billed_seconds, status, called
         FROM telephony.calls WHERE account_id = $1 ORDER BY id DESC LIMIT ${perPage} OFFSET $2`,
};
const pool = new Pool({ connectionString: postgresUrl, max: 8 });

const server = createServer((request, response) => {
  const nth = Number(new URL(request.url ?? '', 'http://floor').searchParams.get('page'));
  pool.query({ ...page, values: [accountId, (nth - 1) * perPage] }).then(
    ({ rows }) => {
      const body = JSON.stringify({ data: rows });
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    },
    () => response.writeHead(500).end(),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => {
  server.closeAllConnections();
  server.close();
  void pool.end();
});
