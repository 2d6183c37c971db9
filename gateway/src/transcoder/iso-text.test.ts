import * as fc from 'fast-check';
import { isoText } from './iso-text';

it('writes every time as toISOString does', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(isoText(date)).toBe(date.toISOString());
    }),
    { numRuns: 5000 },
  );
  for (const ms of [0, -1, 1, 999, 86_399_999, 86_400_000, 253_402_300_799_999, 253_402_300_800_000]) {
    expect(isoText(new Date(ms))).toBe(new Date(ms).toISOString());
  }
});
