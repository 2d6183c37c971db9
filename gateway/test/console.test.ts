import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

describe('the console during development', () => {
  let vite: Server;
  let setup: Setup;

  beforeAll(async () => {
    vite = createServer((request, response) => response.end(`vite ${request.url}`)).listen(0, '127.0.0.1');
    await new Promise((resolve) => vite.once('listening', resolve));
    const { port } = vite.address() as AddressInfo;
    setup = await startSetup({ consoleDevUrl: `http://127.0.0.1:${port}` });
  });

  afterAll(async () => {
    await setup.close();
    vite.close();
  });

  test('its pages and modules come from the development server, and nothing else does', async () => {
    const textOf = async (path: string) => (await setup.gateway.ask(path)).text;
    expect(await textOf('/console/calls/1?x=2')).toBe('vite /console/calls/1?x=2');
    expect(await textOf('/console/src/main.tsx')).toBe('vite /console/src/main.tsx');
    expect(await textOf('/healthz')).toBe('{"status":"alive"}');
    expect(await textOf('/consolation')).toContain('statusCode');
  });
});
