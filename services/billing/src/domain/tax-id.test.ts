import { cnpj, cpf } from 'cpf-cnpj-validator';
import fc from 'fast-check';
import { parseTaxId } from './tax-id';

test.each([
  ['529.982.247-25', '52998224725', 'FISICA'],
  ['52998224725', '52998224725', 'FISICA'],
  ['11.222.333/0001-81', '11222333000181', 'JURIDICA'],
  ['11222333000181', '11222333000181', 'JURIDICA'],
  // The example of the tax authority for the alphanumeric CNPJ.
  ['12.ABC.345/01DE-35', '12ABC34501DE35', 'JURIDICA'],
  ['12.abc.345/01de-35', '12ABC34501DE35', 'JURIDICA'],
])('%s', (text, value, personType) => {
  expect(parseTaxId(text)).toEqual({ value, personType });
});

test.each([
  '529.982.247-26',
  '111.111.111-11',
  '00000000000000',
  '11.222.333/0001-82',
  '12.ABC.345/01DE-36',
  '12.ABC.345/01DE-3A',
  '5299822472',
  '',
  'abc',
  '٥٢٩٩٨٢٢٤٧٢٥',
])('%j is refused', (text) => {
  expect(parseTaxId(text)).toBeUndefined();
});

test('agrees with an independent implementation', () => {
  const digit = fc.constantFrom(...'0123456789');
  fc.assert(
    fc.property(fc.string({ unit: digit, minLength: 11, maxLength: 11 }), (text) => {
      expect(parseTaxId(text) !== undefined).toBe(cpf.isValid(text));
    }),
  );
  for (let n = 0; n < 200; n++) {
    expect(parseTaxId(cpf.generate(true))?.personType).toBe('FISICA');
    expect(parseTaxId(cnpj.generate())?.personType).toBe('JURIDICA');
  }
});

// With letters that no longer holds: B and 7 are the same modulo 11.
test('one wrong digit is always noticed', () => {
  const known = ['52998224725', '11222333000181'];
  for (const value of known) {
    for (let at = 0; at < value.length; at++) {
      const wrong = value[at] === '7' ? '8' : '7';
      expect(parseTaxId(value.slice(0, at) + wrong + value.slice(at + 1))).toBeUndefined();
    }
  }
});
