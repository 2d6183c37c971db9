import { MONEY_PLACES, parseDecimal, toScaledInteger } from './decimal';

const money = (text: string) => {
  const decimal = parseDecimal(text);
  return decimal && toScaledInteger(decimal, MONEY_PLACES);
};

describe('exact decimals', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['5', 50000],
    ['5.00', 50000],
    ['0.1', 1000],
    ['10.0001', 100001],
    ['-12.34', -123400],
    ['1e2', 1000000],
    ['1.5E-3', 15],
    ['+7.5', 75000],
    ['.5', 5000],
    ['5.', 50000],
    ['0.10000000000000000000', 1000],
    ['0e999999999999', 0],
    ['900719925474.0991', 9007199254740991],
  ])('reads %s as %d ten-thousandths', (text, expected) => {
    expect(money(text)).toEqual({ value: expected });
  });

  it.each([
    ['0.00001', 'fraction'],
    ['5.00000000000000000001', 'fraction'],
    ['1e-5', 'fraction'],
    ['1e-999999999', 'fraction'],
    ['900719925474.0992', 'range'],
    ['1e999999999', 'range'],
    ['99999999999999999999', 'range'],
  ])('refuses %s for its %s', (text, problem) => {
    expect(money(text)).toEqual({ problem });
  });

  it.each(['', ' ', '.', '-', 'e5', '1,5', '0x10', 'NaN', 'Infinity', '1_000', '--1', '1.2.3', '1e', '١'])(
    'does not take %j for a number',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );

  it('takes linear time on a hostile number', () => {
    // Processor time instead of elapsed time: the machine may be busy with other work.
    const before = process.cpuUsage();
    money(`${'10'.repeat(500_000)}1`);
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});
