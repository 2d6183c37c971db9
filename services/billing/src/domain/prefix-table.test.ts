import fc from 'fast-check';
import { PrefixTable } from './rate-book';

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123'), minLength, maxLength });

test('finds what a scan over all prefixes finds', () => {
  fc.assert(
    fc.property(fc.uniqueArray(digits(1, 6), { maxLength: 200 }), digits(0, 10), (prefixes, number) => {
      const table = new PrefixTable<string>();
      for (const prefix of prefixes) {
        table.set(prefix, prefix);
      }
      const longest = prefixes.filter((prefix) => number.startsWith(prefix)).sort((a, b) => b.length - a.length)[0];
      expect(table.find(number)).toBe(longest);
      expect(table.size).toBe(prefixes.length);
      for (const prefix of prefixes) {
        expect(table.get(prefix)).toBe(prefix);
      }
    }),
  );
});

test('falls back to a shorter prefix when the longer one is not accepted', () => {
  const table = new PrefixTable<string>();
  table.set('55', 'Brazil');
  table.set('5511', 'São Paulo');
  expect(table.find('551130000000')).toBe('São Paulo');
  expect(table.find('551130000000', (value) => value !== 'São Paulo')).toBe('Brazil');
  expect(table.find('1')).toBeUndefined();
});

test('digits only', () => {
  const table = new PrefixTable<string>();
  expect(() => table.set('55a', 'x')).toThrow(RangeError);
  expect(() => table.find('+55')).toThrow(RangeError);
});

test('a lookup among a hundred thousand prefixes takes less than ten microseconds', () => {
  const table = new PrefixTable<string>();
  for (let n = 0; n < 100_000; n++) {
    const prefix = String(1_000_000 + n * 89);
    table.set(prefix, prefix);
  }
  expect(table.size).toBe(100_000);
  const numbers = Array.from({ length: 1_000 }, (_, n) => `${1_000_000 + n * 8_900}4321`);
  // Of the processor, not of the clock: the machine may have other things to do.
  const before = process.cpuUsage();
  let hits = 0;
  for (let round = 0; round < 100; round++) {
    for (const number of numbers) {
      hits += table.find(number) === undefined ? 0 : 1;
    }
  }
  expect(hits).toBe(100_000);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
