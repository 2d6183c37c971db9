import type { ServiceError } from '@sabia/service-kit/errors';
import { checkNewUser } from './new-user';

test('name, e-mail and password are enough', () => {
  expect(checkNewUser({ name: ' Ana ', email: 'ANA@example.com', password: 'long enough' }, 'BR')).toEqual({
    name: 'Ana',
    email: 'ana@example.com',
    password: 'long enough',
    phone: null,
    role: 'USER',
    emailVerified: false,
  });
});

test('all violations at once', () => {
  expect.assertions(2);
  try {
    checkNewUser({ phone: 'x', role: null }, 'BR');
  } catch (error) {
    const { context, violations } = error as ServiceError;
    expect(context).toBe('user');
    expect(violations.map(({ field, code }) => [field, code])).toEqual([
      ['role', 'inclusion'],
      ['name', 'presence'],
      ['email', 'presence'],
      ['password', 'presence'],
      ['phone', 'format'],
    ]);
  }
});
