import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { collectCalls } from '../storage/call-rows';
import { listCalls } from './call-list';

test('a pattern that takes too long is an error of the client', async () => {
  const settings: unknown[] = [];
  const query: Queryable['query'] = (text, values) => {
    if (text.includes('statement_timeout')) return Promise.resolve(void settings.push(values) as never);
    return Promise.reject(Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }));
  };
  const scan: Queryable['scan'] = async (text, values) => void (await query(text, values));
  const costs: string[] = [];
  const read = (cost: string, work: (reader: Queryable) => Promise<unknown>) => {
    costs.push(cost);
    return work({ query, scan });
  };
  const request = { accountId: 1, timeZone: 'UTC', startDate: undefined, endDate: undefined, page: 1 };
  const listed = listCalls(
    { query, scan, read } as unknown as Database,
    { ...request, filter: '{"where":{"from":{"regexp":"(a+)+$"}}}' },
    collectCalls(),
  );
  await expect(listed).rejects.toMatchObject({ code: 'INVALID_FILTER' });
  expect(settings).toEqual([['2000']]);
  expect(costs).toEqual(['costly']);
});
