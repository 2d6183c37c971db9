import fc from 'fast-check';
import { hasError, isStaticPix, parsePix } from 'pix-utils';
import { brCode, crc16 } from './br-code';

const key = '123e4567-e89b-42d3-a456-426614174000';

test('the checksum of the manual', () => {
  // CRC-16/CCITT-FALSE of "123456789", as every catalogue of checksums has it.
  expect(crc16('123456789')).toBe('29B1');
});

test('is read back by an independent parser', () => {
  fc.assert(
    fc.property(fc.integer({ min: 501, max: 4_999_999 }), fc.integer({ min: 1, max: 1e12 }), (cents, id) => {
      const code = brCode({
        key,
        merchantName: 'Sabiá',
        merchantCity: 'São Paulo',
        amount: cents * 100,
        transactionId: `SABIA${id}`,
      });
      const parsed = parsePix(code);
      if (hasError(parsed) || !isStaticPix(parsed)) {
        throw new Error('the parser refuses the code');
      }
      expect(parsed).toMatchObject({
        pixKey: key,
        merchantName: 'Sabia',
        merchantCity: 'Sao Paulo',
        transactionAmount: cents / 100,
        txid: `SABIA${id}`,
      });
    }),
  );
});

test('a spoilt code is refused by that parser', () => {
  const code = brCode({ key, merchantName: 'A', merchantCity: 'B', amount: 100_000, transactionId: 'X1' });
  expect(hasError(parsePix(code.replace('10.00', '90.00')))).toBe(true);
});
