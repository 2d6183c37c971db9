import * as fc from 'fast-check';
import { formatIso } from './iso-bytes';

const bytes = Buffer.alloc(64);
const isoText = (ms: number): string => bytes.toString('latin1', 3, formatIso(bytes, 3, ms));

it('writes every time as toISOString does', () => {
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
