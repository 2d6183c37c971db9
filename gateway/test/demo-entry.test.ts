import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

const folder = mkdtempSync(join(tmpdir(), 'demo-entry-'));
const file = join(folder, 'demo.json');
const key = 'the-key-of-this-stack';

let setup: Setup;
beforeAll(async () => {
  setup = await startSetup({ demoEntry: { key, file } });
});
afterAll(async () => {
  await setup.close();
  rmSync(folder, { recursive: true });
});

const enter = (given: string, headers?: Record<string, string>) => setup.gateway.ask(`/demo?key=${given}`, { headers });

it('lets the holder of the key in as the demo user, once there is one', async () => {
  expect((await enter(key)).status).toBe(503);
  // As a reader may find it while it is written.
  writeFileSync(file, '{"email": "demo@x.t');
  const half = await enter(key, { accept: 'text/html', 'accept-language': 'en' });
  expect([half.status, half.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  writeFileSync(file, JSON.stringify({ email: 'demo@x.test', password: 'right', token: 'secret' }));
  const { status, headers } = await enter(key);
  expect([status, headers['location'], headers['cache-control']]).toEqual([303, '/console/', 'no-store']);
  const cookie = String(headers['set-cookie']).split(';')[0]!;
  expect((await setup.gateway.ask('/api/v1/session', { headers: { cookie } })).status).toBe(200);
});

it('says why it lets nobody in', async () => {
  writeFileSync(file, JSON.stringify({ email: 'demo@x.test', password: 'changed meanwhile' }));
  const refusals = [await enter('another-key'), await setup.gateway.ask('/demo'), await enter(key)];
  for (const { status, headers, text } of refusals) {
    expect([status, headers['content-type'], headers['set-cookie']]).toEqual([
      403,
      'text/html; charset=utf-8',
      undefined,
    ]);
    expect(text).toContain('A demonstração não abriu');
    expect(text).not.toContain(key);
  }
  expect(refusals[2]!.text).toContain('/console/login');
  const inEnglish = await enter('another-key', { 'accept-language': 'en-GB,en' });
  expect(inEnglish.text).toContain('The demo did not open');
});

it('does not exist unless it is configured', async () => {
  const gateway = await setup.addGateway({ demoEntry: undefined });
  expect((await gateway.ask(`/demo?key=${key}`)).status).toBe(404);
});
