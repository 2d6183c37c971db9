import { createNodeAddress } from './node-address';

const host = 'node-1.example';

test('an address needs no look-up', async () => {
  const addressOf = createNodeAddress({ host: '10.0.0.1', find: () => Promise.reject(new Error('asked')) });
  expect(await addressOf()).toBe('10.0.0.1');
});

test('a node that was replaced is found under its new address', async () => {
  const addresses = ['10.0.0.1', '10.0.0.2'];
  const addressOf = createNodeAddress({ host, find: async () => ({ address: addresses.shift()! }) });
  expect(await addressOf()).toBe('10.0.0.1');
  expect(await addressOf()).toBe('10.0.0.2');
});

test('while name servers fail, or do not answer, the last address holds; before the first one nothing does', async () => {
  const away = new Error('SERVFAIL');
  let find = (): Promise<{ address: string }> => Promise.reject(away);
  const addressOf = createNodeAddress({ host, find: () => find(), patienceMs: 1 });
  await expect(addressOf()).rejects.toThrow(away);
  find = async () => ({ address: '10.0.0.1' });
  expect(await addressOf()).toBe('10.0.0.1');
  find = () => Promise.reject(away);
  expect(await addressOf()).toBe('10.0.0.1');
  let answer: (found: { address: string }) => void = () => undefined;
  find = () => new Promise((resolve) => (answer = resolve));
  expect(await addressOf()).toBe('10.0.0.1');
  answer({ address: '10.0.0.2' });
  find = async () => ({ address: '10.0.0.2' });
  expect(await addressOf()).toBe('10.0.0.2');
});
