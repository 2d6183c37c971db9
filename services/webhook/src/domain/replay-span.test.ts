import { Violations } from '@sabia/service-kit/validation/violations';
import { checkReplay } from './replay-span';
import type { ReplayInput } from './replay-span';

const read = (input: ReplayInput) => checkReplay(new Violations(), input);

test('nothing said: all that was given up', () => {
  expect(read({})).toEqual({ from: undefined, to: undefined, status: 'dead' });
  expect(read({ from: '', to: ' ', status: '' })).toEqual({ from: undefined, to: undefined, status: 'dead' });
});

test('bare dates are whole days, times are moments', () => {
  expect(read({ from: '2026-01-31', to: '2026-02-28', status: 'delivered' })).toEqual({
    from: { local: '2026-01-31' },
    to: { until: { local: '2026-03-01' } },
    status: 'delivered',
  });
  expect(read({ from: '2026-01-31T10:00:00-03:00', to: '2026-01-31 12:00' })).toEqual({
    from: { instant: '2026-01-31T10:00:00.000-03:00' },
    to: { last: { local: '2026-01-31T12:00:00.000' } },
    status: 'dead',
  });
});

test.each<[string, ReplayInput]>([
  ['from', { from: '2026-02-30' }],
  ['to', { to: 'yesterday' }],
  ['status', { status: 'pending' }],
])('a wrong %s', (field, input) => {
  const violations = new Violations();
  checkReplay(violations, input);
  expect(violations.has(field)).toBe(true);
});
