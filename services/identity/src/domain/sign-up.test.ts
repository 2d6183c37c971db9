import type { ServiceError } from '@sabia/service-kit/errors';
import { checkSignUp, defaultCrmNames } from './sign-up';
import type { SignUpInput } from './sign-up';

const rules = { domainSuffix: '.sabia.localhost', crmNames: defaultCrmNames, phoneCountry: 'BR' } as const;

const good: SignUpInput = {
  organization_name: 'Padaria Central',
  domain: 'padaria.sabia.localhost',
  email: 'ana@padaria.com.br',
  password: 'correct horse',
  phone: '+55 11 98888-7777',
  crm: 'HubSpot',
  user_quantity: '1-5',
};

function codes(input: SignUpInput): Record<string, string> {
  try {
    checkSignUp(input, rules);
    return {};
  } catch (error) {
    const { context, violations } = error as ServiceError;
    expect(context).toBe('account');
    return Object.fromEntries(violations.map(({ field, code }) => [field, code]));
  }
}

test('a good one passes, domain and e-mail in lower case', () => {
  expect(
    checkSignUp({ ...good, domain: ' Padaria.Sabia.LOCALHOST ', email: 'Ana@Padaria.com.BR', crm: 'hubspot' }, rules),
  ).toEqual({
    organizationName: 'Padaria Central',
    domain: 'padaria.sabia.localhost',
    email: 'ana@padaria.com.br',
    password: 'correct horse',
    phone: '+55 11 98888-7777',
    crm: 'HubSpot',
    userQuantity: '1-5',
    language: 'pt-BR',
  });
});

test('all violations are reported at once', () => {
  expect(codes({})).toEqual({
    organization_name: 'presence',
    domain: 'presence',
    email: 'presence',
    password: 'presence',
    phone: 'presence',
    crm: 'presence',
    user_quantity: 'presence',
  });
  expect(
    codes({
      organization_name: 'x'.repeat(201),
      domain: 'a.b.sabia.localhost',
      email: 'nobody',
      password: '1234567',
      phone: '123',
      crm: 'Paper',
      user_quantity: '7',
      language: 'fr',
    }),
  ).toEqual({
    organization_name: 'length',
    domain: 'format',
    email: 'format',
    password: 'length',
    phone: 'format',
    crm: 'inclusion',
    user_quantity: 'inclusion',
    language: 'inclusion',
  });
});

test.each([
  'padaria',
  'padaria.example.com',
  '.sabia.localhost',
  '-a.sabia.localhost',
  'a_b.sabia.localhost',
  `${'a'.repeat(64)}.sabia.localhost`,
  'padaria.sabia.localhost.',
])('domain %s is refused', (domain) => {
  expect(codes({ ...good, domain })).toEqual({ domain: 'format' });
});

test.each(['a@b', 'a b@c.de', 'a@b..de', '.a@b.de', 'a@-b.de', 'a\n@b.de', `${'a'.repeat(250)}@b.de`])(
  'e-mail %j is refused',
  (email) => {
    expect(Object.keys(codes({ ...good, email }))).toEqual(['email']);
  },
);

test.each(['+5511988887777', '5511988887777', '11988887777', '(11) 98888-7777', '+1 212 555 0123', '+351 912 345 678'])(
  'phone %s is accepted',
  (phone) => {
    expect(codes({ ...good, phone })).toEqual({});
  },
);

test.each(['0', 'phone', '+55', '+5511', '999999999999999', '+0 11 98888 7777'])('phone %s is refused', (phone) => {
  expect(codes({ ...good, phone })).toEqual({ phone: 'format' });
});

test('a password has 8 to 256 characters, counted as a person counts', () => {
  expect(codes({ ...good, password: '🐦'.repeat(7) })).toEqual({ password: 'length' });
  expect(codes({ ...good, password: '🐦'.repeat(8) })).toEqual({});
  expect(codes({ ...good, password: 'x'.repeat(256) })).toEqual({});
  expect(codes({ ...good, password: 'x'.repeat(257) })).toEqual({ password: 'length' });
});

test('control characters never reach a mail or the database', () => {
  expect(codes({ ...good, organization_name: 'a\0b' })).toEqual({ organization_name: 'format' });
  expect(codes({ ...good, organization_name: 'a\r\nBcc: b@c.de' })).toEqual({ organization_name: 'format' });
});
