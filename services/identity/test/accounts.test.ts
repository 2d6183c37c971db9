import { UpdateAccountRequest } from '@sabia/protos/sabia/identity/v1/messages';
import { codesOf, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

let identity: Identity;
let admin: Person;

beforeAll(async () => {
  identity = await startIdentity();
  admin = await identity.createAccount();
});
afterAll(() => identity.stop());

const update = (by: Person, change: Partial<UpdateAccountRequest>) =>
  identity.client.updateAccount(UpdateAccountRequest.fromPartial(change), identity.as(by));

test('only what is present changes', async () => {
  const { account: before } = await identity.client.getAccount({}, identity.as(admin));
  const { account } = await update(admin, { name: ' Nova Padaria ', phone: '+5511988887777' });
  expect(account).toMatchObject({
    ...before,
    name: 'Nova Padaria',
    phone: '+5511988887777',
    updatedAt: expect.any(Date) as Date,
  });
  expect(account!.updatedAt!.getTime()).toBeGreaterThan(before!.updatedAt!.getTime());
  await expect(identity.client.getAccount({}, identity.as(admin))).resolves.toEqual({ account });
});

test('the e-mail of an account is a contact, not a login', async () => {
  const { account } = await update(admin, { email: 'Office@Example.com' });
  expect(account!.email).toBe('office@example.com');
  const { user } = await identity.client.getMe({}, identity.as(admin));
  expect(user!.email).toBe(admin.email);
});

test('the time zone is one of the IANA database, and callers have it', async () => {
  const { account } = await update(admin, { timeZone: 'america/manaus' });
  expect(account!.timeZone).toBe('America/Manaus');
  expect(codesOf(await refusal(update(admin, { timeZone: '-04:00' })))).toEqual({ timeZone: 'inclusion' });
});

test('refusals', async () => {
  const error = await refusal(update(admin, { name: '', email: 'x', phone: 'y' }));
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR', context: 'account' });
  expect(codesOf(error)).toEqual({ name: 'presence', email: 'format', phone: 'format' });
  const user = await identity.createUser(admin);
  expect(await refusal(update(user, { name: 'x' }))).toMatchObject({ code: 'ACCESS_DENIED' });
  const { account } = await identity.client.getAccount({}, identity.as(user));
  expect(account!.uuid).toBe(admin.caller.accountUuid);
});

test('accounts do not see each other', async () => {
  const stranger = await identity.createAccount();
  await update(stranger, { name: 'Somebody else' });
  const { account } = await identity.client.getAccount({}, identity.as(admin));
  expect(account!.name).not.toBe('Somebody else');
});
