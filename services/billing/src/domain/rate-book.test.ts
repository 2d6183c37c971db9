import { Deck, findRate } from './rate-book';
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
