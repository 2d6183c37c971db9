import { request } from 'undici';
import { writeCalls } from '../../src/console/many-calls';
import { closeBrowser, closeConsoles, openConsole } from '../../src/console/open-console';
import { eventually } from '../../src/eventually';
import { createAdmin } from '../../src/people';
import { testStack } from '../../src/test-stack';

const stack = testStack();

afterEach(closeConsoles);
afterAll(closeBrowser);

/** What the gateway sends for a script, gzipped. */
async function weigh(url: string): Promise<number> {
  const { body, headers } = await request(url, { headers: { 'accept-encoding': 'gzip' } });
  expect(headers['content-encoding']).toBe('gzip');
  return (await body.arrayBuffer()).byteLength;
}

test.each(['/login', '/', '/calls'])('the first load of %s is at most 250 kB of JavaScript, gzipped', async (path) => {
  const window = await openConsole(stack, { as: path === '/login' ? 'nobody' : 'demo' });
  const scripts = new Set<string>();
  window.page.on('request', (asked) => {
    if (asked.resourceType() === 'script') scripts.add(asked.url());
  });
  await window.goTo(path);
  // The phone is loaded after the page that it stands on.
  const needed = [...scripts].filter((url) => !/phone|jssip/i.test(url));
  const sizes = await Promise.all(needed.map(async (url) => [new URL(url).pathname, await weigh(url)] as const));
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect([total <= 250_000, sizes]).toEqual([true, sizes]);
});

test('ten thousand calls: the first page is one request, and scrolling keeps the page small', async () => {
  const admin = await createAdmin(stack);
  await writeCalls(stack, { domain: admin.domain, count: 10_000 });
  const window = await openConsole(stack, { as: admin });
  const { page } = window;
  const lists: string[] = [];
  page.on('request', (asked) => {
    if (new URL(asked.url()).pathname === '/api/v1/calls') lists.push(asked.url());
  });
  const rows = page.getByRole('row');
  await window.goTo('/calls');
  await rows.nth(1).waitFor();
  expect(lists).toHaveLength(1);

  // What a page draws for each step is what makes scrolling smooth or not; milliseconds depend on the machine.
  for (let step = 0; step < 40; step++) {
    await page.mouse.wheel(0, 2_000);
    expect(await rows.count()).toBeLessThan(100);
  }
  const seen = await rows.last().getAttribute('aria-rowindex');
  expect(Number(seen)).toBeGreaterThan(500);
  await eventually(async () => /\d/.test(await rows.last().innerText()));
  expect(lists.length).toBeLessThan(40);
});
