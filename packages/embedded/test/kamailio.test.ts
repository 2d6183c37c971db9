import { makeCertificate } from '@sabia/testkit/certificate';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { createRunHome, type RunHome } from '@sabia/testkit/run-homes';
import { SipLine } from '@sabia/testkit/softphone/sip-line';
import { addExtension } from '@sabia/testkit/softphone/test-asterisk';
import { startTestEdge } from '@sabia/testkit/softphone/test-edge';
import { Client } from 'pg';
import { acceptsTcp, answersSipOverUdp } from '../src/asterisk/sip-ports';
import type { Kamailio } from '../src/kamailio/start-kamailio';

let database: TestDatabase;
let run: RunHome;
let sql: Client;
let edge: Kamailio | undefined;

beforeAll(async () => {
  database = await createTestDatabase('extensions');
  run = await createRunHome('kamailio');
  sql = new Client({ connectionString: database.adminUrl });
  await sql.connect();
}, 600_000);

afterEach(async () => edge?.stop());

afterAll(async () => {
  await sql?.end();
  await database?.drop();
  run?.remove();
});

async function answers({ sipUdp }: Kamailio): Promise<void> {
  const [host = '', port] = sipUdp.split(':');
  await answersSipOverUdp(host, Number(port));
  await acceptsTcp(host, Number(port));
}

test('an edge starts without root, signs in, is killed with all its processes, and comes back on the same ports', async () => {
  edge = await startTestEdge(database, { home: run.path });
  await answers(edge);
  await eventually(async () => (await sql.query('SELECT FROM sip.edges WHERE name = $1', ['edge'])).rowCount === 1);
  await edge.kill();
  await expect(answers(edge)).rejects.toThrow();
  await edge.start();
  await answers(edge);
});

test('it is started again when it dies by itself', async () => {
  const deaths: string[] = [];
  let revived: () => void = () => undefined;
  const revival = new Promise<void>((resolve) => (revived = resolve));
  edge = await startTestEdge(database, {
    home: run.path,
    onDeath: (name, how) => deaths.push(`${name} ${how}`),
    onRevival: () => revived(),
  });
  process.kill(edge.pid!, 'SIGKILL');
  await revival;
  await answers(edge);
  expect(deaths).toEqual(['edge was ended by SIGKILL']);
});

test('with a certificate and an address of IPv6 it takes phones over TLS, WSS and IPv6', async () => {
  edge = await startTestEdge(database, { home: run.path, tls: makeCertificate(run.path), sipHost6: '::1' });
  const extension = { domain: 'acme.sabia.localhost', ramal: '1001', senha: 'segredo-1' };
  await addExtension(sql, extension);
  const six = { server: `[::1]:${edge.sipUdp.split(':')[1]}`, address: '::1' };
  for (const options of [
    { transport: 'TLS' as const, server: edge.sipTls },
    { transport: 'WSS' as const, server: edge.wss },
    { transport: 'UDP' as const, ...six },
    { transport: 'TCP' as const, ...six },
  ]) {
    const line = await SipLine.open(options);
    expect(await line.register(extension)).toBe(200);
    line.close();
  }
});

test.each(['UDP', 'TCP', 'WS'] as const)('a phone that nobody knows is refused over %s', async (transport) => {
  edge = await startTestEdge(database, { home: run.path });
  const line = await SipLine.open({ transport, server: transport === 'WS' ? edge.ws : edge.sipUdp });
  expect(await line.register({ domain: 'acme.sabia.localhost', ramal: '1000', senha: 'guess' })).toBe(401);
  line.close();
});
