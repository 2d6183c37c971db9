import { databaseUrl, fillPlaceholders, serviceNames, type ServiceName } from './database';

const passwords = Object.fromEntries(serviceNames.map((name) => [name, `pw-${name}`])) as Record<ServiceName, string>;

describe('fillPlaceholders', () => {
  it('puts each password where its placeholder stands', () => {
    expect(fillPlaceholders("('{{identity_password}}', '{{billing_password}}')", passwords)).toBe(
      "('pw-identity', 'pw-billing')",
    );
  });

  it('cannot be made to end the literal it stands in', () => {
    expect(fillPlaceholders("'{{identity_password}}'", { ...passwords, identity: "a'; DROP ROLE x; --$&" })).toBe(
      "'a''; DROP ROLE x; --$&'",
    );
  });

  it('refuses a placeholder that no service has', () => {
    expect(() => fillPlaceholders('{{stranger_password}}', passwords)).toThrow(/stranger/);
  });
});

describe('databaseUrl', () => {
  it('keeps the server and changes database and role', () => {
    const url = databaseUrl('postgres://postgres:x@127.0.0.1:5433/postgres?sslmode=disable', 'sabia', {
      name: 'sabia_identity',
      password: 'p/w@',
    });
    expect(url).toBe('postgres://sabia_identity:p%2Fw%40@127.0.0.1:5433/sabia?sslmode=disable');
  });
});
