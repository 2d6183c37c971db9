import { maySeeSenha } from './senha-reader';

const extension = { emailAddress: 'Ana@Example.com' };

test.each([
  ['an ADMIN', { isAdmin: true, email: 'boss@example.com' }, true],
  ['the USER it belongs to, in any case', { isAdmin: false, email: 'ana@example.COM' }, true],
  ['another USER', { isAdmin: false, email: 'bob@example.com' }, false],
  ['a USER without an e-mail', { isAdmin: false, email: '' }, false],
])('%s', (_who, reader, may) => {
  expect(maySeeSenha(reader, extension)).toBe(may);
});

test('no e-mail is not the same as no e-mail', () => {
  expect(maySeeSenha({ isAdmin: false, email: '' }, { emailAddress: '' })).toBe(false);
});
