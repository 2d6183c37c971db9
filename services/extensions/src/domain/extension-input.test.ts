import { checkExtensionChange, checkNewExtension } from './extension-input';
import type { ExtensionInput } from './extension-input';
import { digestOf } from './senha';
import { Violations } from '@sabia/service-kit/validation/violations';

const good: ExtensionInput = {
  ramal: '1000',
  senha: 'segredo-numero-1',
  bina: '(11) 4002-8922',
  firstName: ' Ana ',
  lastName: 'Souza',
  emailAddress: 'Ana@Example.com',
};

const defaults = { firstName: 'Bia', lastName: '', emailAddress: 'bia@example.com' };

function codesOf(check: (violations: Violations) => unknown): Record<string, string> {
  const violations = new Violations();
  check(violations);
  try {
    violations.throwIfAny('extension');
    return {};
  } catch (error) {
    const found = (error as { violations: { field: string; code: string }[] }).violations;
    return Object.fromEntries(found.map(({ field, code }) => [field, code]));
  }
}

const codesOfNew = (input: ExtensionInput) =>
  codesOf((violations) => checkNewExtension(violations, input, defaults, 'BR'));
const sipUser = { ramal: '1000', domain: 'a.example' };
/** With a senha from the days when six characters were enough. */
const current = { ...sipUser, ha1: digestOf(sipUser, 'abc123') };
const change = (violations: Violations, input: ExtensionInput) =>
  checkExtensionChange(violations, input, 'BR', current);
const codesOfChange = (input: ExtensionInput) => codesOf((violations) => change(violations, input));

test('a good one is trimmed and normalised, and is not recorded unless it says so', () => {
  expect(checkNewExtension(new Violations(), good, defaults, 'BR')).toEqual({
    ramal: '1000',
    senha: 'segredo-numero-1',
    bina: '551140028922',
    binaAsSent: '(11) 4002-8922',
    firstName: 'Ana',
    lastName: 'Souza',
    emailAddress: 'Ana@Example.com',
    gravarAudio: false,
  });
});

test('all but the number may be left out: the user who creates it gives the name, and the senha is generated', () => {
  expect(codesOfNew({})).toEqual({ ramal: 'presence' });
  const { senha, ...extension } = checkNewExtension(new Violations(), { ramal: '1000' }, defaults, 'BR');
  expect(extension).toMatchObject({ ramal: '1000', ...defaults, bina: null, gravarAudio: false });
  expect(senha.length).toBeGreaterThanOrEqual(12);
});

test('a user without a confirmed e-mail has none to give: it must be sent', () => {
  const unconfirmed = { ...defaults, emailAddress: '' };
  const codesFor = (input: ExtensionInput) =>
    codesOf((violations) => checkNewExtension(violations, input, unconfirmed, 'BR'));
  expect(codesFor({ ramal: '1000' })).toEqual({ email_address: 'presence' });
  expect(codesFor(good)).toEqual({});
});

test('all violations are reported at once', () => {
  const bad = {
    ramal: '12',
    senha: 'short',
    bina: '1',
    firstName: 'x'.repeat(101),
    lastName: 'a\nb',
    emailAddress: 'ana@',
  };
  const codes = {
    ramal: 'format',
    senha: 'length',
    bina: 'format',
    first_name: 'length',
    last_name: 'format',
    email_address: 'format',
  };
  expect(codesOfNew(bad)).toEqual(codes);
  expect(codesOfChange(bad)).toEqual(codes);
});

test.each(['12', '12345678901', '10a0', '+100', '1.00', '１０００', '10 00'])('%j is no ramal', (ramal) => {
  expect(codesOfNew({ ...good, ramal })).toEqual({ ramal: 'format' });
});

test.each(['100', '0100', '1234567890'])('%j is a ramal', (ramal) => {
  expect(codesOfNew({ ...good, ramal })).toEqual({});
});

test('a change touches only what is present', () => {
  expect(change(new Violations(), { lastName: 'Lima' })).toEqual({ lastName: 'Lima' });
  expect(codesOfChange({})).toEqual({});
});

test('a change may take the bina away but blank nothing else', () => {
  expect(change(new Violations(), { bina: '' })).toMatchObject({ bina: null, binaAsSent: null });
  expect(codesOfChange({ ramal: '', senha: '', firstName: ' ', lastName: '', emailAddress: '' })).toEqual({
    ramal: 'presence',
    senha: 'presence',
    first_name: 'presence',
    last_name: 'presence',
    email_address: 'presence',
  });
});

test('a short senha of old may be sent back, alone or with a new number, but not be chosen anew', () => {
  expect(change(new Violations(), { ramal: '1001', senha: 'abc123' })).toMatchObject({
    ramal: '1001',
    senha: 'abc123',
  });
  expect(codesOfChange({ senha: 'abc123' })).toEqual({});
  expect(codesOfChange({ senha: 'abc124' })).toEqual({ senha: 'length' });
  expect(codesOfNew({ ...good, senha: 'abc123' })).toEqual({ senha: 'length' });
});
