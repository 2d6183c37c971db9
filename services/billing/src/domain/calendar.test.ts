import { dayOf, daysBetween, parseDay, startOfDay } from './calendar';

test('midnight is that of São Paulo, three hours after that of Greenwich', () => {
  expect(dayOf(new Date('2026-03-10T02:59:59.999Z'))).toBe('2026-03-09');
  expect(dayOf(new Date('2026-03-10T03:00:00.000Z'))).toBe('2026-03-10');
  expect(startOfDay('2026-03-10').toISOString()).toBe('2026-03-10T03:00:00.000Z');
});

test('summer time of the years that had it', () => {
  expect(dayOf(new Date('2018-12-10T02:30:00Z'))).toBe('2018-12-10');
  expect(startOfDay('2018-12-10').toISOString()).toBe('2018-12-10T02:00:00.000Z');
});

test.each(['2026-02-28', '2028-02-29', '2026-12-31'])('%s is a day', (day) => {
  expect(parseDay(day)?.toISOString()).toBe(`${day}T00:00:00.000Z`);
});

test.each([
  '2026-02-30',
  '2026-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '20260101',
  '01/02/2026',
  '2026-01-01T00:00:00Z',
  ' 2026-01-01',
  '',
  '0000-00-00',
  '٢٠٢٦-٠١-٠١',
])('%j is no day', (day) => {
  expect(parseDay(day)).toBeUndefined();
});

test('days are counted on the calendar', () => {
  expect(daysBetween('2026-02-27', '2026-03-01')).toBe(2);
  expect(daysBetween('2026-03-01', '2026-02-27')).toBe(-2);
});
