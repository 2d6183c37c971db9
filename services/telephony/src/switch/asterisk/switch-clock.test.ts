import { createLogger } from '@sabia/service-kit/logging';
import { createSwitchClock } from './switch-clock';

const log = createLogger({ name: 'test', level: 'silent' });
const noon = Date.parse('2026-11-15T12:00:00.000Z');
const at = (seconds: number) => new Date(noon + seconds * 1000);
const open = () => createSwitchClock({ log, now: () => at(100) });

test('a timestamp with an offset is converted', () => {
  expect(open().read('2026-11-15T09:00:05.250-0300')).toEqual(at(5.25));
  expect(open().read('2026-11-15T12:00:05.250+0000')).toEqual(at(5.25));
});

test('future and invalid timestamps are read as now', () => {
  expect(open().read(at(101))).toEqual(at(100));
  expect(open().read('yesterday')).toEqual(at(100));
});

test('a clock that is wrong is corrected, in both directions', () => {
  const clock = open();
  clock.compare(at(3_650), { from: at(50), to: at(50) });
  expect(clock.read(at(3_610))).toEqual(at(10));
  clock.compare(at(-3_550), { from: at(50), to: at(50) });
  expect(clock.read(at(-3_590))).toEqual(at(10));
});

test('close clocks count as equal, and a slow response is ignored', () => {
  const clock = open();
  clock.compare(at(50.2), { from: at(50), to: at(50) });
  expect(clock.read(at(10))).toEqual(at(10));
  clock.compare(at(20), { from: at(20), to: at(80) });
  expect(clock.read(at(10))).toEqual(at(10));
});
