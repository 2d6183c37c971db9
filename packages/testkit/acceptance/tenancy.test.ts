import { createAdmin, createUser, type Person } from '../src/people';
import { accessDenied, refusalOf, unauthorized, unknownId } from '../src/refusals';
import { testStack } from '../src/test-stack';

describe('permissions', () => {
  let admin: Person;
  let user: Person;
  let colleague: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack());
    [user, colleague] = [await createUser(admin), await createUser(admin)];
  });

  interface Route {
    method: string;
    path: string;
    body?: object;
    /** Status without a token, as USER, as ADMIN. The last route of the table ends the tokens. */
    statuses: [number, number, number];
  }

  const routes: Route[] = [
    { method: 'POST', path: '/accounts/signup', body: {}, statuses: [422, 422, 422] },
    { method: 'POST', path: '/accounts/resend-confirmation', body: {}, statuses: [202, 202, 202] },
    { method: 'GET', path: '/accounts/confirm', statuses: [400, 400, 400] },
    { method: 'POST', path: '/accounts/confirm', body: {}, statuses: [400, 400, 400] },
    { method: 'POST', path: '/users/undo-email-change', body: {}, statuses: [422, 422, 422] },
    { method: 'GET', path: '/users/undo-email-change', statuses: [400, 400, 400] },
    { method: 'POST', path: '/users/login', body: {}, statuses: [400, 400, 400] },
    { method: 'POST', path: '/users/reset', body: {}, statuses: [422, 422, 422] },
    { method: 'POST', path: '/users/reset-password', body: {}, statuses: [422, 422, 422] },
    { method: 'GET', path: '/users/reset-password', statuses: [400, 400, 400] },
    { method: 'GET', path: '/accounts', statuses: [401, 200, 200] },
    { method: 'PATCH', path: '/accounts', body: {}, statuses: [401, 403, 200] },
    { method: 'GET', path: '/users', statuses: [401, 200, 200] },
    { method: 'POST', path: '/users', body: {}, statuses: [401, 403, 422] },
    { method: 'PATCH', path: '/users', body: {}, statuses: [401, 200, 200] },
    { method: 'PATCH', path: '/users', body: { uuid: '{colleague}', name: 'x' }, statuses: [401, 403, 200] },
    { method: 'PATCH', path: '/users', body: { uuid: '{colleague}', role: 'ADMIN' }, statuses: [401, 403, 200] },
    {
      method: 'PATCH',
      path: '/users',
      body: { uuid: '{colleague}', password: 'a new password' },
      statuses: [401, 403, 200],
    },
    { method: 'GET', path: '/users/me', statuses: [401, 200, 200] },
    { method: 'GET', path: '/users/{colleague}', statuses: [401, 200, 200] },
    { method: 'DELETE', path: '/users/{colleague}', statuses: [401, 403, 204] },
    { method: 'POST', path: '/users/accessTokens', body: {}, statuses: [401, 200, 200] },
    { method: 'GET', path: '/users/accessTokens', statuses: [401, 200, 200] },
    { method: 'HEAD', path: '/users/accessTokens', statuses: [404, 200, 200] },
    { method: 'DELETE', path: '/users/accessTokens/unknown0', statuses: [401, 404, 404] },
    { method: 'POST', path: '/users/logout', statuses: [401, 204, 204] },
  ];

  it.each(routes)('$method $path $body', async ({ method, path, body, statuses }) => {
    const named = (text: string) => text.replace('{colleague}', colleague.uuid);
    const request = body && { body: JSON.parse(named(JSON.stringify(body))) as unknown };
    const clients = [admin.api().withToken(undefined), user.api(), admin.api()];
    for (const [index, client] of clients.entries()) {
      const answer = await client.request(method, named(path), request);
      expect(answer.status).toBe(statuses[index]);
      if (answer.status === 401) expect(refusalOf(answer)).toEqual(unauthorized);
      if (answer.status === 403) expect(refusalOf(answer)).toEqual(accessDenied);
    }
  });
});

describe('another account', () => {
  let ours: Person;
  let theirs: Person;
  let theirUser: Person;

  beforeAll(async () => {
    [ours, theirs] = [await createAdmin(testStack()), await createAdmin(testStack())];
    theirUser = await createUser(theirs);
  });

  it('has users that no other account can find, read, change or delete', async () => {
    const ourUser = await createUser(ours);
    for (const victim of [theirs, theirUser]) {
      const before = (await theirs.api().get(`/users/${victim.uuid}`)).body;
      for (const name of [victim.uuid, victim.id]) {
        const unknown = unknownId('user', name);
        for (const reader of [ours, ourUser]) {
          expect(refusalOf(await reader.api().get(`/users/${name}`))).toEqual(unknown);
          for (const body of [
            { uuid: name },
            { id: name, name: 'x' },
            { uuid: name, role: 'USER', email: ours.email },
            { uuid: name, password: 'a new password', currentPassword: victim.password },
          ])
            expect(refusalOf(await reader.api().patch('/users', body))).toEqual(unknown);
        }
        expect(refusalOf(await ours.api().delete(`/users/${name}`))).toEqual(unknown);
        // Refused before the name is looked up, so that a USER learns nothing from it.
        expect(refusalOf(await ourUser.api().delete(`/users/${name}`))).toEqual(accessDenied);
      }
      expect((await theirs.api().get(`/users/${victim.uuid}`)).body).toEqual(before);
    }
    expect((await ours.api().get<Person[]>('/users')).body.map(({ id }) => id)).toEqual([ours.id, ourUser.id]);
  });

  it('has tokens that no other user can see or revoke', async () => {
    for (const { token } of [theirs, theirUser]) {
      const prefix = token.slice(0, 8);
      expect(refusalOf(await ours.api().delete(`/users/accessTokens/${prefix}`))).toEqual(
        unknownId('accessToken', prefix),
      );
      expect((await ours.api().get('/users/accessTokens')).text).not.toContain(prefix);
    }
    expect((await theirs.api().get('/users/me')).status).toBe(200);
  });

  it('is neither seen nor changed by ours', async () => {
    const before = await theirs.api().get<{ uuid: string; id: number }>('/accounts');
    const changed = await ours.api().patch('/accounts', { id: before.body.id, uuid: before.body.uuid, name: 'Ours' });
    expect(changed.body).toMatchObject({ name: 'Ours' });
    expect(changed.body).not.toMatchObject({ uuid: before.body.uuid });
    expect((await theirs.api().get('/accounts')).body).toEqual(before.body);
  });
});
