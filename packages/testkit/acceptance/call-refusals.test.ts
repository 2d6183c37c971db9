import { fastest } from '../src/fastest';
import { blank, invalid, refusalOf } from '../src/refusals';
import { signUpUser, type SignedUpUser } from '../src/sign-up';
import { testStack } from '../src/test-stack';
import { promised } from '../src/promised';

const stack = testStack();
const called = stack.testNumbers.answer;
let user: SignedUpUser;
let stranger: SignedUpUser;

const extension = (ramal: string, email_address: string) => ({
  ...{ ramal, senha: `segredo-${ramal}`, first_name: 'Ana', last_name: 'Silva', email_address },
});

beforeAll(async () => {
  [user, stranger] = await Promise.all([signUpUser(stack), signUpUser(stack)]);
  expect((await user.client.post('/extensions', extension('2000', user.email))).status).toBe(200);
  expect((await stranger.client.post('/extensions', extension('2777', stranger.email))).status).toBe(200);
});

afterAll(async () => {
  const { body } = await user.client.fromAnotherAddress().get<{ meta: { totalItemCount: number } }>('/calls?page=1');
  expect(body.meta.totalItemCount).toBe(0);
});

const notThere: [string, string] = ['inclusion', 'is not an extension of this account'];
const noNumber: [string, string] = ['format', 'is not a valid phone number'];

describe.each([
  ['/calls', 'called'],
  ['/dialer', 'phone'],
])('POST %s is refused', (path, field) => {
  const good = { extension: '2000', [field]: called };
  const refused = async (body: object) => refusalOf(await user.client.fromAnotherAddress().post(path, body));

  it('for an extension that is not there', async () => {
    expect(await refused({ ...good, extension: '2999' })).toEqual(invalid('call', { extension: notThere }));
  });

  it('for the extension of another account, like an unknown one', async () => {
    expect(await refused({ ...good, extension: '2777' })).toEqual(invalid('call', { extension: notThere }));
  });

  it.each(['12', '551155', 'abc', '+1', '00000000000'])('for the number %s', async (number) => {
    expect(await refused({ ...good, [field]: number })).toEqual(invalid('call', { [field]: noNumber }));
  });

  it('for metadata of more than 16 KiB, to the byte', async () => {
    const metadata = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    expect(await refused({ ...good, metadata: metadata(16_385) })).toEqual(
      invalid('call', { metadata: ['length', 'must be at most 16384 bytes long'] }),
    );
    // One byte less passes on to the next check.
    expect((await refused({ ...good, metadata: metadata(16_384) })).code).toBe('USER_NOT_REGISTERED');
  });

  it('with every fault of the body at once, before anything else is looked at', async () => {
    expect(await refused({ extension: '2999', [field]: '12' })).toEqual(invalid('call', { [field]: noNumber }));
    expect(await refused({})).toEqual(invalid('call', { extension: blank, [field]: blank }));
  });

  it('without a registered softphone, within 200 ms', async () => {
    const client = user.client.fromAnotherAddress();
    const took = await fastest(5, async () =>
      expect(refusalOf(await client.post(path, good))).toEqual({
        status: 422,
        name: 'UnprocessableEntityError',
        code: 'USER_NOT_REGISTERED',
        message: 'user not registered',
      }),
    );
    expect(took).toBeLessThan(promised(200));
  });
});

it('at once for an extension that has another number now, or is deleted', async () => {
  const client = user.client.fromAnotherAddress();
  const outcome = async (ramal: string) => {
    const { code } = refusalOf(await client.post('/calls', { extension: ramal, called }));
    return code;
  };
  const { body } = await client.post<{ id: number }>('/extensions', extension('2100', user.email));
  for (const [was, is] of [
    ['2100', '2101'],
    ['2101', '2102'],
    ['2102', '2100'],
  ] as const) {
    expect([await outcome(was), await outcome(is)]).toEqual(['USER_NOT_REGISTERED', 'VALIDATION_ERROR']);
    expect((await client.patch('/extensions', { id: body.id, ramal: is })).status).toBe(200);
    expect([await outcome(was), await outcome(is)]).toEqual(['VALIDATION_ERROR', 'USER_NOT_REGISTERED']);
  }
  expect((await client.delete(`/extensions/${body.id}`)).status).toBeLessThan(300);
  expect(await outcome('2100')).toBe('VALIDATION_ERROR');
});
