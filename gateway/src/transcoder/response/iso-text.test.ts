import * as fc from 'fast-check';
import { isoText } from './iso-text';

describe('the text of a time', () => {
  it('is that of toISOString', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(isoText(date.getTime())).toBe(date.toISOString());
      }),
      { numRuns: 5000 },
    );
    for (const ms of [0, -1, 1, 999, 86_399_999, 86_400_000, 253_402_300_799_999, 253_402_300_800_000]) {
      expect(isoText(ms)).toBe(new Date(ms).toISOString());
    }
  });

  it('is undefined for a time that no Date can hold', () => {
    expect(isoText(8.64e15)).toBe('+275760-09-13T00:00:00.000Z');
    expect([NaN, Infinity, 8.64e15 + 1, -8.64e15 - 1].map(isoText)).toEqual(Array(4).fill(undefined));
  });
});
