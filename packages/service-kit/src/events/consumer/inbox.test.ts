import type { Database } from '../../postgres/database';
import { createInbox } from './inbox';

it('stops cleaning between two chunks when it is told to stop', async () => {
  const stopping = new AbortController();
  let chunks = 0;
  const query = async (text: string): Promise<object[]> => {
    if (!text.includes('inbox_attempts')) {
      chunks += 1;
      stopping.abort();
    }
    return [{ count: 5_000 }];
  };
  const inbox = createInbox({ query } as unknown as Database, 'test');
  expect(await inbox.clean(new Date(0), stopping.signal)).toBe(5_000);
  expect(chunks).toBe(1);
});
