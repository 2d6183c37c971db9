import { validarBoleto } from '@mrmgomes/boleto-utils';
import { boleto } from 'boleto-brasileiro-validator';
import fc from 'fast-check';
import { bankSlipLine, formatBankSlipLine } from './bank-slip';

const slip = { bank: '999', dueDate: '2026-03-12', amount: 1_234_500, freeField: '42'.padStart(25, '0') };

test('a slip that has been printed in many a manual, digit by digit', () => {
  expect(
    bankSlipLine({ bank: '001', dueDate: '2007-12-31', amount: 10_000, freeField: '0500940144816060680935031' }),
  ).toBe('00190500954014481606906809350314337370000000100');
});

test('is accepted by independent parsers', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 501, max: 4_999_999 }),
      fc.date({ min: new Date('2025-02-22'), max: new Date('2045-01-01'), noInvalidDate: true }),
      fc.bigInt(0n, 10n ** 25n - 1n),
      (cents, due, free) => {
        const dueDate = due.toISOString().slice(0, 10);
        const line = bankSlipLine({
          bank: '999',
          dueDate,
          amount: cents * 100,
          freeField: String(free).padStart(25, '0'),
        });
        expect(line).toMatch(/^\d{47}$/);
        expect(boleto(line)).toBe(true);
        const parsed = validarBoleto(line);
        expect(parsed).toMatchObject({ sucesso: true, valor: cents / 100 });
        expect(parsed.vencimentoComNovoFator2025.toISOString().slice(0, 10)).toBe(dueDate);
      },
    ),
    { numRuns: 50 },
  );
});

test('a wrong digit is noticed by them', () => {
  const line = bankSlipLine(slip);
  const wrong = line.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  expect(boleto(wrong)).toBe(false);
});

test('the count of days began again on 22 February 2025', () => {
  expect(bankSlipLine({ ...slip, dueDate: '2025-02-21' }).slice(33, 37)).toBe('9999');
  expect(bankSlipLine({ ...slip, dueDate: '2025-02-22' }).slice(33, 37)).toBe('1000');
});

test('printed in groups', () => {
  expect(formatBankSlipLine(bankSlipLine(slip))).toMatch(/^\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}$/);
});

test('nonsense is refused', () => {
  expect(() => bankSlipLine({ ...slip, freeField: '1' })).toThrow(RangeError);
  expect(() => bankSlipLine({ ...slip, amount: 1_234_501 })).toThrow(RangeError);
});
