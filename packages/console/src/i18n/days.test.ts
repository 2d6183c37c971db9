import { dayIn, daysAfter } from './days';

test('the day depends on the zone', () => {
  const lateEvening = new Date('2026-03-02T02:59:00Z');
  expect(dayIn('America/Sao_Paulo', lateEvening)).toBe('2026-03-01');
  expect(dayIn('UTC', lateEvening.getTime())).toBe('2026-03-02');
});

test('days are counted on the calendar', () => {
  expect(daysAfter('2026-02-27', 2)).toBe('2026-03-01');
  expect(daysAfter('2027-01-01', -1)).toBe('2026-12-31');
});
