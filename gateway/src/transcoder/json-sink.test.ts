import * as fc from 'fast-check';
import { MONEY_PLACES, parseDecimal, toScaledInteger } from './request/decimal';
import { JsonSink } from './json-sink';

const sink = new JsonSink();

function written(write: (sink: JsonSink) => void): string {
  sink.clear();
  write(sink);
  return sink.take().toString();
}

const money = (value: number): string => written((to) => to.tenThousandths(value));

describe('JSON as bytes', () => {
  it('writes every string as JSON.stringify does', () => {
    const check = (text: string): void => {
      const bytes = Buffer.from(`--${text}--`);
      expect(written((to) => to.string(bytes, 2, bytes.length - 2))).toBe(JSON.stringify(text));
    };
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), check));
    fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), check));
    check(Array.from({ length: 0x800 }, (_, code) => String.fromCharCode(code)).join(''));
    check('\u2028\ud83d\ude00'.repeat(10_000));
  });

  it('writes every integer', () => {
    const check = (value: number): void =>
      expect(written((to) => to.integer(value))).toBe(String(value === 0 ? 0 : value));
    fc.assert(fc.property(fc.maxSafeInteger(), check));
    fc.assert(fc.property(fc.integer(), check));
    for (let power = 1; power < 1e16; power *= 10) [power - 1, power, -power].forEach(check);
  });

  it('gives every amount back as it was written', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(toScaledInteger(parseDecimal(money(value))!, MONEY_PLACES)).toEqual({ value: value === 0 ? 0 : value });
      }),
    );
  });

  it('writes amounts that JSON.parse reads as the nearest number, in their shortest form', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(JSON.parse(money(value))).toBe(value / 10 ** MONEY_PLACES);
      }),
    );
    expect([0, 5, -5, 1000, 123400, 120000, -10001].map(money)).toEqual(
      '0 0.0005 -0.0005 0.1 12.34 12 -1.0001'.split(' '),
    );
  });

  it('knows what is no time', () => {
    expect(written((to) => to.time(8.64e15))).toBe('"+275760-09-13T00:00:00.000Z"');
    expect([NaN, Infinity, 8.64e15 + 1].map((ms) => written((to) => to.time(ms)))).toEqual(['null', 'null', 'null']);
  });

  it('grows with what is written, and answers short texts as text', () => {
    expect(written((to) => to.text('x'))).toBe('x');
    expect(sink.take()).toBe('x');
    const large = Buffer.alloc(3_000_000, 'y');
    expect(written((to) => to.raw(large, 0, large.length))).toHaveLength(large.length);
    expect(Buffer.isBuffer(sink.take())).toBe(true);
    sink.clear();
    expect(sink.take()).toBe('');
  });
});
