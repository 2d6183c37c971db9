import type { ServiceError } from '@sabia/service-kit/errors';
import type { Actor, User } from './user';
import { readUserReference, refuseLosingLastAdmin } from './user';
import { checkUserChange, planUserChange } from './user-change';
import type { UserChangeInput } from './user-change';

const at = new Date('2026-01-01T00:00:00Z');
const user: User = {
  id: 5,
  uuid: '0b0a2e5e-4c7c-4a2b-9d52-1f1c6e6f7a01',
  accountId: 1,
  name: 'Ana',
  email: 'ana@example.com',
  pendingEmail: null,
  phone: null,
  role: 'USER',
  emailVerified: true,
  createdAt: at,
  updatedAt: at,
  lastLoginAt: null,
  language: null,
};
const self: Actor = { userId: 5, accountId: 1, role: 'USER' };
const colleague: Actor = { userId: 6, accountId: 1, role: 'USER' };
const admin: Actor = { userId: 7, accountId: 1, role: 'ADMIN' };
const denied = expect.objectContaining({ code: 'ACCESS_DENIED' });

test('a language is chosen, kept, and removed by an empty text', () => {
  const chosen: User = { ...user, language: 'en' };
  expect(planUserChange(user, { language: 'en' }, self).language).toBe('en');
  expect(planUserChange(chosen, {}, self).language).toBe('en');
  expect(planUserChange(chosen, { language: '' }, self).language).toBeNull();
});

describe('who may change what', () => {
  test('everybody may change themselves, ADMINs everybody', () => {
    expect(planUserChange(user, { name: 'Ann' }, self).name).toBe('Ann');
    expect(planUserChange(user, { name: 'Ann' }, admin).name).toBe('Ann');
    expect(() => planUserChange(user, { name: 'Ann' }, colleague)).toThrow(denied);
    expect(() => planUserChange(user, {}, colleague)).toThrow(denied);
  });

  test('a role is changed by an ADMIN only; sending it back unchanged is no change', () => {
    expect(planUserChange(user, { role: 'ADMIN' }, admin).role).toBe('ADMIN');
    expect(planUserChange(user, { role: 'USER' }, self).role).toBe('USER');
    expect(() => planUserChange(user, { role: 'ADMIN' }, self)).toThrow(denied);
  });

  test('emailVerified is changed by an ADMIN only', () => {
    const unverified = { ...user, emailVerified: false };
    expect(planUserChange(unverified, { emailVerified: true }, admin).emailVerified).toBe(true);
    expect(() => planUserChange(unverified, { emailVerified: true }, self)).toThrow(denied);
    expect(() => planUserChange(user, { emailVerified: false }, self)).toThrow(denied);
    expect(planUserChange(user, { emailVerified: true }, self).emailVerified).toBe(true);
  });
});

describe('a new e-mail', () => {
  const email = 'ana@new.example.com';

  const waiting = { email: user.email, pendingEmail: email, emailVerified: true };

  test('waits beside the confirmed one, whether the user or an ADMIN changed it', () => {
    expect(planUserChange(user, { email }, self)).toMatchObject(waiting);
    expect(planUserChange(user, { email }, admin)).toMatchObject(waiting);
    expect(planUserChange(user, { email, emailVerified: false }, admin)).toMatchObject(waiting);
    // The whole user sent back with one field changed.
    expect(planUserChange(user, { email, emailVerified: true }, self)).toMatchObject(waiting);
    expect(planUserChange(user, { email, emailVerified: false }, self)).toMatchObject(waiting);
  });

  test('is valid immediately when an ADMIN sets it as verified', () => {
    const pending = { ...user, pendingEmail: 'ana@elsewhere.example.com' };
    expect(planUserChange(pending, { email, emailVerified: true }, admin)).toMatchObject({
      email,
      pendingEmail: null,
      emailVerified: true,
    });
  });

  test('replaces one that was not confirmed either', () => {
    const unverified = { ...user, emailVerified: false };
    const replaced = { email, pendingEmail: null, emailVerified: false };
    expect(planUserChange(unverified, { email }, self)).toMatchObject(replaced);
    expect(() => planUserChange(unverified, { email, emailVerified: true }, self)).toThrow(denied);
  });

  test('the same e-mail again changes nothing', () => {
    const pending = { ...user, pendingEmail: email };
    expect(planUserChange(pending, { email: user.email, emailVerified: true }, self)).toMatchObject(waiting);
  });
});

describe('the fields', () => {
  const codes = (input: UserChangeInput, own = true) => {
    try {
      checkUserChange(input, own, 'BR');
      return {};
    } catch (error) {
      return Object.fromEntries((error as ServiceError).violations.map(({ field, code }) => [field, code]));
    }
  };

  test('all at once', () => {
    expect(codes({ name: ' ', email: 'x', phone: '1', role: null, password: 'short' })).toEqual({
      role: 'inclusion',
      name: 'presence',
      email: 'format',
      phone: 'format',
      password: 'length',
      currentPassword: 'presence',
    });
    expect(codes({ language: 'tlh' })).toEqual({ language: 'inclusion' });
    expect(codes({})).toEqual({});
  });

  test('the current password is asked of the owner, not of an ADMIN', () => {
    expect(codes({ password: 'long enough' })).toEqual({ currentPassword: 'presence' });
    expect(codes({ password: 'long enough' }, false)).toEqual({});
    expect(codes({ password: 'long enough', currentPassword: 'x' })).toEqual({});
  });
});

test('the last ADMIN stays', () => {
  const lastAdmin = expect.objectContaining({ code: 'LAST_ADMIN' });
  expect(() => refuseLosingLastAdmin({ role: 'ADMIN' }, 1)).toThrow(lastAdmin);
  expect(() => refuseLosingLastAdmin({ role: 'ADMIN' }, 2)).not.toThrow();
  expect(() => refuseLosingLastAdmin({ role: 'USER' }, 1)).not.toThrow();
});

test('users are named by uuid or number', () => {
  expect(readUserReference(user.uuid.toUpperCase())).toEqual({ uuid: user.uuid });
  expect(readUserReference('42')).toEqual({ id: 42 });
  for (const unknown of ['', '0', '-1', '1.5', 'me', '9'.repeat(16), `${user.uuid}x`]) {
    expect(readUserReference(unknown)).toBeUndefined();
  }
});
