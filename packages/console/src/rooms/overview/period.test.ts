import { boundsOf, readPeriod } from './period';

test('a period is counted in days of the account, not of the reader', () => {
  const lateEvening = new Date('2026-03-02T02:30:00Z');
  expect(boundsOf('today', 'America/Sao_Paulo', lateEvening)).toEqual({
    startDate: '2026-03-01',
    endDate: '2026-03-01',
  });
  expect(boundsOf('today', 'UTC', lateEvening)).toEqual({ startDate: '2026-03-02', endDate: '2026-03-02' });
  expect(boundsOf('week', 'America/Sao_Paulo', lateEvening)).toEqual({
    startDate: '2026-02-23',
    endDate: '2026-03-01',
  });
});

test('an unknown period in the address is today', () => {
  expect(readPeriod('month')).toBe('month');
  expect(readPeriod('constructor')).toBe('today');
  expect(readPeriod(null)).toBe('today');
});
