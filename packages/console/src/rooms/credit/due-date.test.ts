import { latestDueDate } from './due-date';

test('a charge may be due seven days after today in São Paulo', () => {
  expect(latestDueDate(new Date('2026-03-02T02:59:00Z'))).toBe('2026-03-08');
  expect(latestDueDate(new Date('2026-03-02T03:00:00Z'))).toBe('2026-03-09');
  expect(latestDueDate(new Date('2026-12-28T12:00:00Z'))).toBe('2027-01-04');
});
