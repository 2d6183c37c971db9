import { createHash } from 'node:crypto';
import { checkSenha, digestOf, isSenhaOf } from './senha';
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
  ['twelve characters', 'abc123def456'],
  ['128 characters', 'x'.repeat(128)],
  ['punctuation and spaces', ' a:b"c<d>\\e f '],
  ['letters of the language', 'ação-é-já-já'],
  ['128 characters beyond the basic plane', '🔑'.repeat(128)],
])('accepts %s', (_what, senha) => {
  expect(codesOf(senha)).toEqual([]);
});

test.each([
  ['nothing', undefined, 'presence'],
  ['an empty text', '', 'presence'],
  ['eleven characters', 'abc123def45', 'length'],
  ['eleven characters that count as 22 in UTF-16', '🔑'.repeat(11), 'length'],
  ['129 characters', 'x'.repeat(129), 'length'],
  ['a NUL', 'abc\u0000def12345', 'format'],
  ['a line break', 'abcdef123456\n', 'format'],
  ['a tab', 'abc\tdef12345', 'format'],
  ['an invisible character', 'abc\u200bdef12345', 'format'],
])('refuses %s', (_what, senha, code) => {
  expect(codesOf(senha)).toEqual([code]);
});

test('keeps spaces at both ends', () => {
  expect(checkSenha(new Violations(), ' secret-word ')).toBe(' secret-word ');
});

test('digests the way SIP clients do', () => {
  expect(digestOf({ ramal: '1000', domain: 'a.example' }, 'sênha1')).toBe(
    createHash('md5').update(Buffer.from('1000:a.example:sênha1', 'utf8')).digest('hex'),
  );
});

test('knows the senha of an extension, however short', () => {
  const holder = {
    ramal: '1000',
    domain: 'a.example',
    ha1: digestOf({ ramal: '1000', domain: 'a.example' }, 'abc123'),
  };
  expect([isSenhaOf(holder, 'abc123'), isSenhaOf(holder, 'abc124')]).toEqual([true, false]);
});
