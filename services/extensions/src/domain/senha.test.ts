import { createHash } from 'node:crypto';
import { checkSenha, digestOf } from './senha';
import { Violations } from '@sabia/service-kit/validation/violations';

const codesOf = (value: string | undefined): string[] => {
  const violations = new Violations();
  checkSenha(violations, value);
  try {
    violations.throwIfAny('extension');
    return [];
  } catch (error) {
    return (error as { violations: { code: string }[] }).violations.map(({ code }) => code);
  }
};

test.each([
  ['six characters', 'abc123'],
  ['128 characters', 'x'.repeat(128)],
  ['punctuation and spaces', ' a:b"c<d>\\e '],
  ['letters of the language', 'ação-é-já'],
  ['128 characters beyond the basic plane', '🔑'.repeat(128)],
])('accepts %s', (_what, senha) => {
  expect(codesOf(senha)).toEqual([]);
});

test.each([
  ['nothing', undefined, 'presence'],
  ['an empty text', '', 'presence'],
  ['five characters', 'abc12', 'length'],
  ['five characters that count as ten in UTF-16', '🔑'.repeat(5), 'length'],
  ['129 characters', 'x'.repeat(129), 'length'],
  ['a NUL', 'abc\u0000def', 'format'],
  ['a line break', 'abcdef\n', 'format'],
  ['a tab', 'abc\tdef', 'format'],
  ['an invisible character', 'abc\u200bdef', 'format'],
])('refuses %s', (_what, senha, code) => {
  expect(codesOf(senha)).toEqual([code]);
});

test('keeps spaces at both ends', () => {
  expect(checkSenha(new Violations(), ' secret ')).toBe(' secret ');
});

test('digests the way SIP clients do', () => {
  expect(digestOf({ ramal: '1000', domain: 'a.example' }, 'sênha1')).toBe(
    createHash('md5').update(Buffer.from('1000:a.example:sênha1', 'utf8')).digest('hex'),
  );
});
