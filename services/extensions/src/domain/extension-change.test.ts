import type { StoredExtension } from './extension';
import { planChange } from './extension-change';
import { digestOf } from './senha';

const admin = { isAdmin: true, email: 'boss@example.com' };
const ana = { isAdmin: false, email: 'ana@example.com' };
const bob = { isAdmin: false, email: 'bob@example.com' };

const current: StoredExtension = {
  id: 7,
  accountId: 1,
  domain: 'a.example',
  ramal: '1000',
  bina: '551140028922',
  binaAsSent: '1140028922',
  firstName: 'Ana',
  lastName: 'Souza',
  emailAddress: 'ana@example.com',
  gravarAudio: false,
  registered: true,
  registeredAt: new Date(0),
  senhaKeyId: 'k',
  senhaSealed: Buffer.alloc(0),
  ha1: digestOf({ ramal: '1000', domain: 'a.example' }, 'segredo-numero-1'),
};

test('the whole extension sent back is no change', () => {
  const { ramal, bina, binaAsSent, firstName, lastName, emailAddress, gravarAudio } = current;
  const same = { ramal, bina, binaAsSent, firstName, lastName, emailAddress, gravarAudio, senha: 'segredo-numero-1' };
  expect(planChange(current, same, admin)).toMatchObject({ changed: false, ramalChanged: false, senhaChanged: false });
  expect(planChange(current, {}, admin).changed).toBe(false);
});

test.each([
  [{ ramal: '1001' }, { changed: true, ramalChanged: true, senhaChanged: false }],
  [{ senha: 'segredo-numero-2' }, { changed: true, ramalChanged: false, senhaChanged: true }],
  [{ gravarAudio: true }, { changed: true, ramalChanged: false, senhaChanged: false }],
  [{ binaAsSent: '(11) 4002-8922' }, { changed: true, ramalChanged: false, senhaChanged: false }],
  [
    { bina: null, binaAsSent: null },
    { changed: true, ramalChanged: false, senhaChanged: false },
  ],
])('%j', (change, plan) => {
  expect(planChange(current, change, admin)).toMatchObject(plan);
});

test('what is left out stays', () => {
  expect(planChange(current, { lastName: 'Lima' }, ana).fields).toEqual({
    ramal: '1000',
    bina: '551140028922',
    binaAsSent: '1140028922',
    firstName: 'Ana',
    lastName: 'Lima',
    emailAddress: 'ana@example.com',
    gravarAudio: false,
  });
});

describe('writing the own e-mail on an extension does not reveal its senha', () => {
  test('a USER who could not see it is refused', () => {
    expect(() => planChange(current, { emailAddress: 'Bob@example.com' }, bob)).toThrow(/Access Denied/);
    expect(() => planChange(current, { emailAddress: 'bob@example.com', senha: 'segredo-numero-1' }, bob)).toThrow(
      /Access Denied/,
    );
  });

  test('unless it gets a new senha with that', () => {
    expect(planChange(current, { emailAddress: 'bob@example.com', senha: 'segredo-numero-2' }, bob).changed).toBe(true);
  });

  test('an ADMIN sees all anyway, and a USER may give an extension away', () => {
    expect(planChange(current, { emailAddress: 'bob@example.com' }, admin).changed).toBe(true);
    expect(planChange(current, { emailAddress: 'bob@example.com' }, ana).changed).toBe(true);
  });
});
