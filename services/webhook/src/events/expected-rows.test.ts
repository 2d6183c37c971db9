import { createExpectedRows } from './expected-rows';

const account = 7;

describe('what an event is expected to cost', () => {
  it('is a row for an account that nothing is known of, or that has few webhooks', () => {
    const expected = createExpectedRows();
    expected.learn(account, { rows: 1, compared: 3 });
    expect(expected.of(account)).toBe(1);
  });

  it('is what the last one cost, and falls slowly when others cost less', () => {
    const expected = createExpectedRows();
    expected.learn(account, { rows: 1_000, compared: 1_000 });
    expect(expected.of(account)).toBe(1_050);
    expected.learn(account, { rows: 1, compared: 1_000 });
    expect(expected.of(account)).toBe(525);
  });

  it('is little for webhooks that do not want the event', () => {
    const expected = createExpectedRows();
    for (let batch = 0; batch < 20; batch += 1) expected.learn(account, { rows: 1, compared: 1_000 });
    expect(expected.of(account)).toBe(51);
  });
});
