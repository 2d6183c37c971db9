import fc from 'fast-check';
import { Deck, PrefixTable, findRate } from './rate-book';
import type { Rate } from './rate-book';

const at = new Date('2026-03-01T12:00:00Z');

function rate(prefix: string, minutePrice: number, validFrom = '2026-01-01T00:00:00Z', validTo?: string): Rate {
  return {
    prefix,
    description: prefix,
    minutePrice,
    minimumSeconds: 30,
    incrementSeconds: 6,
    validFrom: new Date(validFrom),
    validTo: validTo === undefined ? undefined : new Date(validTo),
  };
}

function deckOf(...rates: Rate[]): Deck {
  const deck = new Deck();
  rates.forEach((each) => deck.add(each));
  return deck;
}

test('the longest prefix wins', () => {
  const deck = deckOf(rate('55', 100), rate('5511', 200), rate('55119', 300));
  expect(deck.find('5511987654321', at)?.minutePrice).toBe(300);
  expect(deck.find('551130000000', at)?.minutePrice).toBe(200);
  expect(deck.find('552130000000', at)?.minutePrice).toBe(100);
  expect(deck.find('351210000000', at)).toBeUndefined();
});

test('a rate holds from its first moment until before its last', () => {
  const deck = deckOf(
    rate('55', 100),
    rate('55', 150, '2026-03-01T12:00:00Z'),
    rate('5511', 200, '2026-01-01T00:00:00Z', '2026-03-01T12:00:00Z'),
  );
  const before = new Date(at.getTime() - 1);
  expect(deck.find('552130000000', before)?.minutePrice).toBe(100);
  expect(deck.find('552130000000', at)?.minutePrice).toBe(150);
  expect(deck.find('551130000000', before)?.minutePrice).toBe(200);
  // The longer prefix has ended: the shorter one holds again.
  expect(deck.find('551130000000', at)?.minutePrice).toBe(150);
});

test("an account's own deck comes before the default one, whatever the length of the prefix", () => {
  const own = deckOf(rate('55', 50));
  const decks = {
    defaultDeck: deckOf(rate('5511', 200), rate('351', 400)),
    ofAccount: (id: number) => (id === 7 ? own : undefined),
  };
  expect(findRate(decks, 7, '551130000000', at)?.minutePrice).toBe(50);
  expect(findRate(decks, 7, '351210000000', at)?.minutePrice).toBe(400);
  expect(findRate(decks, 8, '551130000000', at)?.minutePrice).toBe(200);
});

describe('the table of prefixes', () => {
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

  test('a lookup does not go through all prefixes', () => {
    /** Of the processor, not of the clock: the machine may have other things to do. */
    const costAmong = (prefixes: number): number => {
      const table = new PrefixTable<string>();
      for (let n = 0; n < prefixes; n++) table.set(String(1_000_000 + n * 89), 'x');
      expect(table.size).toBe(prefixes);
      const numbers = Array.from({ length: 100 }, (_, n) => `${1_000_000 + n * (prefixes / 100) * 89}4321`);
      const before = process.cpuUsage();
      let hits = 0;
      for (let round = 0; round < 1_000; round++) {
        for (const number of numbers) hits += table.find(number) === undefined ? 0 : 1;
      }
      expect(hits).toBe(100_000);
      return process.cpuUsage(before).user;
    };
    costAmong(100);
    // A thousand times as many; the larger table is only less often in the caches of the processor.
    expect(costAmong(100_000)).toBeLessThan(100 * costAmong(100));
  });
});
