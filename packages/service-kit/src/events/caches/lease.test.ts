import { createLease } from './lease';

test('the lease runs for a second from the sending of the last flush that came back', () => {
  const clock = { now: 5_000 };
  const lease = createLease(() => clock.now);
  expect(lease.held).toBe(false);

  const sentAt = lease.now();
  clock.now += 400;
  const sentLater = lease.now();
  lease.renew(sentLater);
  // The order in which the promises of two flushes settle does not matter.
  lease.renew(sentAt);
  clock.now = sentLater + 999;
  expect(lease.held).toBe(true);
  clock.now = sentLater + 1_000;
  expect(lease.held).toBe(false);

  // A flush that came back only after its second proves nothing about now.
  lease.renew(sentLater);
  expect(lease.held).toBe(false);
  lease.renew(lease.now());
  expect(lease.held).toBe(true);
  lease.end();
  expect(lease.held).toBe(false);
});
