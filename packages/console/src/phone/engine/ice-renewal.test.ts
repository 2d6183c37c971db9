import { createIceRenewal } from './ice-renewal';
import type { IceAccess } from './ice-renewal';

const minute = 60_000;
const inMinutes = (count: number): string => new Date(Date.now() + count * minute).toISOString();

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function renewing(answers: (() => Promise<IceAccess>)[]) {
  const renewed: IceAccess[] = [];
  const ask = jest.fn(() => answers.shift()!());
  const renewal = createIceRenewal({ ask, onRenewed: (access) => renewed.push(access) });
  return { renewal, ask, renewed };
}
const access = (name: string, minutes: number) => () =>
  Promise.resolve({ iceServers: [{ urls: `turn:${name}` }], iceServersExpireAt: inMinutes(minutes) });

test('credentials of TURN servers are renewed a minute before they end, again and again', async () => {
  const { renewal, ask, renewed } = renewing([access('second', 10), access('third', 10)]);
  renewal.plan(inMinutes(10));
  await jest.advanceTimersByTimeAsync(9 * minute - 1);
  expect(ask).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(renewed.map(({ iceServers: [server] }) => server?.urls)).toEqual(['turn:second']);
  await jest.advanceTimersByTimeAsync(9 * minute);
  expect(renewed.map(({ iceServers: [server] }) => server?.urls)).toEqual(['turn:second', 'turn:third']);
  renewal.stop();
});

test('a renewal that fails is tried again a minute later', async () => {
  const { renewal, ask, renewed } = renewing([() => Promise.reject(new Error('away')), access('second', 10)]);
  renewal.plan(inMinutes(10));
  await jest.advanceTimersByTimeAsync(9 * minute);
  expect([ask.mock.calls.length, renewed.length]).toEqual([1, 0]);
  await jest.advanceTimersByTimeAsync(minute);
  expect([ask.mock.calls.length, renewed.length]).toEqual([2, 1]);
  renewal.stop();
});

test('nothing is renewed without credentials that end, or after the phone has stopped', async () => {
  const { renewal, ask } = renewing([]);
  renewal.plan(null);
  renewal.plan(inMinutes(10));
  renewal.stop();
  await jest.advanceTimersByTimeAsync(60 * minute);
  expect(ask).not.toHaveBeenCalled();
});
