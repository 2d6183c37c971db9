import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { eventually } from '@sabia/testkit/eventually';
import { startSetup } from './fixtures/harness';
import type { Setup } from './fixtures/harness';

describe('a response in chunks', () => {
  let setup: Setup;

  beforeAll(async () => {
    setup = await startSetup();
  });
  afterAll(() => setup.close());

  const path = '/api/v1/tools/export';
  const sent = () => setup.fake.received.filter(({ method }) => method === 'ExportTools').length;

  it('is all of them, one after the other', async () => {
    const { token } = setup.fake.addToken();
    const response = await setup.gateway.ask(`${path}?chunks=3`, { token });
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="tools.csv"',
    });
    expect(response.text).toBe(['1', '2', '3'].map((digit) => digit.repeat(100_000)).join(''));
  });

  it('can be refused before it begins, and breaks off when a later chunk fails', async () => {
    const { token } = setup.fake.addToken();
    expect(await setup.gateway.ask(`${path}?chunks=1&fault=bad-request`, { token })).toMatchObject({
      status: 400,
      error: { code: 'INVALID_FILTER' },
    });
    await expect(setup.gateway.ask(`${path}?chunks=3&fault=crash`, { token })).rejects.toThrow();
    expect((await setup.gateway.ask(path)).status).toBe(401);
  });

  it('is read no faster than the client takes it, and no further when the client leaves', async () => {
    const { token } = setup.fake.addToken();
    const before = sent();
    const asked = request(`${setup.gateway.url}${path}?chunks=10000`, { headers: { authorization: token } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    // Nobody reads: what is under way fits into the buffers of both ends.
    let last = -1;
    await eventually(() => {
      const now = sent();
      const isStill = now === last;
      last = now;
      return isStill;
    });
    expect(last - before).toBeLessThan(500);
    response.destroy();
    await eventually(() => setup.gateway.logLines.some(({ route }) => route === path));
    expect(sent() - before).toBeLessThan(500);
  });
});
