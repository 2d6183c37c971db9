import { createSpared } from './guard-rules';

const isSpared = createSpared(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);

test.each(['127.0.0.1', '10.200.3.4', '2001:db8::7', 'not-an-address'])('spares %s', (address) => {
  expect(isSpared(address)).toBe(true);
});

test.each(['127.0.0.2', '11.0.0.1', '2001:db9::7'])('does not spare %s', (address) => {
  expect(isSpared(address)).toBe(false);
});

test.each(['office', '10.0.0.0/33', ''])('refuses "%s", which is not a network', (entry) => {
  expect(() => createSpared([entry])).toThrow();
});
