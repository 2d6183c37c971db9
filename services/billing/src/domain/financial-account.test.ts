import { checkChange, lockedFields } from './financial-account';

const codesOf = (result: ReturnType<typeof checkChange>): string[] =>
  'violations' in result ? result.violations.map(({ field, code }) => `${field}:${code}`) : [];

test('contacts are validated and tidied', () => {
  expect(
    checkChange({
      phone: ' (11) 3003-3030 ',
      mobilePhone: '+55 11 98765-4321',
      additionalEmails: 'a@b.com , c@d.com,',
    }),
  ).toEqual({
    change: { phone: '(11) 3003-3030', mobilePhone: '+55 11 98765-4321', additionalEmails: 'a@b.com,c@d.com' },
  });
});

test('an empty text empties the field', () => {
  expect(checkChange({ phone: '', additionalEmails: ' ' })).toEqual({
    change: { phone: null, additionalEmails: null },
  });
});

test('every bad field is named', () => {
  const result = checkChange({
    phone: '123',
    mobilePhone: 'x',
    additionalEmails: 'a@b.com;c@d.com',
    email: 'nobody',
    company: 'x'.repeat(201),
    cpfCnpj: '529.982.247-26',
  });
  expect(codesOf(result)).toEqual([
    'cpfCnpj:format',
    'phone:format',
    'mobilePhone:format',
    'additionalEmails:format',
    'company:length',
    'email:format',
  ]);
  // The tax id itself never stands in a message.
  expect(JSON.stringify(result)).not.toContain('529');
});

test('a tax id brings the type of person', () => {
  expect(checkChange({ cpfCnpj: '529.982.247-25' })).toEqual({
    change: { cpfCnpj: '52998224725', personType: 'FISICA' },
  });
});

test('fields that an active account refuses', () => {
  expect(lockedFields({ phone: '1', mobilePhone: '2', additionalEmails: '3' })).toEqual([]);
  expect(lockedFields({ phone: '1', cpfCnpj: 'x', addressCity: 'y', status: 'ACTIVE' })).toEqual([
    'cpfCnpj',
    'addressCity',
    'status',
  ]);
});
