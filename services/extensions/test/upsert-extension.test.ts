import { createHash } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, goodFields, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

const ha1Of = async (id: number): Promise<string> => {
  const [row] = await home.sql.query<{ ha1: string }>('SELECT ha1 FROM extensions WHERE id = $1', [id]);
  return row!.ha1;
};

const digest = (text: string): string => createHash('md5').update(text).digest('hex');

describe('without an id', () => {
  test.each([undefined, 0])('id %p creates', async (id) => {
    const { admin } = newAccount();
    const { extension } = await service.as(admin).upsertExtension({ ...goodFields, id, ramal: '3000' });
    expect(extension).toMatchObject({ ramal: '3000', senha: 'segredo-numero-1' });
    const refused = await refusal(service.as(admin).upsertExtension({ ...goodFields, id, ramal: '3000' }));
    expect(refused.codes).toEqual({ ramal: 'uniqueness' });
  });

  test('everything is required that POST requires', async () => {
    const { admin } = newAccount();
    const refused = await refusal(service.as(admin).upsertExtension({ ...goodFields }));
    expect(refused).toMatchObject({ kind: ErrorKind.VALIDATION, codes: { ramal: 'presence' } });
  });
});

describe('with an id', () => {
  test('changes what is present and nothing else', async () => {
    const { admin } = newAccount();
    const before = await create(service.as(admin), { ramal: '3000', bina: '1140028922', gravar_audio: true });
    const { extension } = await service.as(admin).upsertExtension({ id: before.id, last_name: 'Lima' });
    expect(extension).toEqual({ ...before, last_name: 'Lima', name: 'Ana Lima' });
    expect((await service.as(admin).getExtension({ id: before.id })).extension).toEqual(extension);
  });

  test('every field can be changed', async () => {
    const { admin, domain } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000' });
    const change = {
      ramal: '3001',
      senha: 'segredo-numero-2',
      bina: '551140028923',
      first_name: 'Bia',
      last_name: 'Lima',
      email_address: 'bia@example.com',
      gravar_audio: true,
    };
    const { extension } = await service.as(admin).upsertExtension({ id, ...change });
    expect(extension).toMatchObject({ id, ...change });
    expect(await ha1Of(id)).toBe(digest(`3001:${domain}:segredo-numero-2`));
  });

  test('the bina comes back as it was sent, also when only its writing changes', async () => {
    const { admin } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000', bina: ' +55 (11) 4002-8922' });
    for (const bina of ['1140028922', '(11) 4002.8922 ', '551140028922', '11 4002-8923']) {
      const { extension } = await service.as(admin).upsertExtension({ id, bina });
      expect(extension!.bina).toBe(bina);
      expect((await service.as(admin).getExtension({ id })).extension!.bina).toBe(bina);
      expect((await service.as(admin).listExtensions({ filter: undefined })).extensions[0]!.bina).toBe(bina);
    }
  });

  test('a bina that code of the release before has changed comes back as that wrote it', async () => {
    const { admin } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000', bina: '(11) 4002-8922' });
    await home.sql.query(`UPDATE extensions SET bina = '551140028923' WHERE id = $1`, [id]);
    expect((await service.as(admin).getExtension({ id })).extension!.bina).toBe('551140028923');
  });

  test('an empty bina takes it away', async () => {
    const { admin } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000', bina: '1140028922' });
    const { extension } = await service.as(admin).upsertExtension({ id, bina: '' });
    expect(extension!.bina).toBeUndefined();
  });

  test('recording can be switched off', async () => {
    const { admin } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000', gravar_audio: true });
    expect((await service.as(admin).upsertExtension({ id, gravar_audio: false })).extension!.gravar_audio).toBe(false);
  });

  test('a new number keeps the senha, and the digest follows', async () => {
    const { admin, domain } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000' });
    const { extension } = await service.as(admin).upsertExtension({ id, ramal: '3001' });
    expect(extension!.senha).toBe('segredo-numero-1');
    expect(await ha1Of(id)).toBe(digest(`3001:${domain}:segredo-numero-1`));
  });

  test('a senha that is too short for today goes on working until it is changed', async () => {
    const { admin, domain } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000' });
    await home.admin.query('UPDATE extensions.extensions SET ha1 = $2 WHERE id = $1', [
      id,
      digest(`3000:${domain}:abc123`),
    ]);
    const { extension } = await service.as(admin).upsertExtension({ id, senha: 'abc123', last_name: 'Lima' });
    expect(extension!.last_name).toBe('Lima');
    expect(await ha1Of(id)).toBe(digest(`3000:${domain}:abc123`));
    const refused = await refusal(service.as(admin).upsertExtension({ id, senha: 'abc124' }));
    expect(refused.codes).toEqual({ senha: 'length' });
    await service.as(admin).upsertExtension({ id, senha: 'segredo-numero-2' });
    expect(await ha1Of(id)).toBe(digest(`3000:${domain}:segredo-numero-2`));
  });

  test('unknown, negative and of another account: 404', async () => {
    const { admin } = newAccount();
    const stranger = newAccount();
    const { id } = await create(service.as(stranger.admin), { ramal: '3000' });
    for (const unknown of [id, 999_999_999, -1, Number.MAX_SAFE_INTEGER]) {
      expect(await refusal(service.as(admin).upsertExtension({ id: unknown, ...goodFields }))).toMatchObject({
        kind: ErrorKind.NOT_FOUND,
        code: 'MODEL_NOT_FOUND',
        message: `Unknown "extension" id "${unknown}".`,
      });
    }
    // Not even what is wrong with the fields is told.
    expect((await refusal(service.as(admin).upsertExtension({ id, ramal: 'x' }))).kind).toBe(ErrorKind.NOT_FOUND);
    expect((await service.as(stranger.admin).getExtension({ id })).extension!.first_name).toBe('Ana');
  });

  test('refuses what is wrong, all at once, and changes nothing', async () => {
    const { admin } = newAccount();
    const before = await create(service.as(admin), { ramal: '3000' });
    await create(service.as(admin), { ramal: '3001' });
    const refused = await refusal(
      service.as(admin).upsertExtension({ id: before.id, ramal: '3001', senha: '1', first_name: '', bina: '9' }),
    );
    expect(refused.codes).toEqual({ ramal: 'uniqueness', senha: 'length', first_name: 'presence', bina: 'format' });
    const taken = await refusal(service.as(admin).upsertExtension({ id: before.id, ramal: '3001', last_name: 'X' }));
    expect(taken).toMatchObject({ kind: ErrorKind.VALIDATION, codes: { ramal: 'uniqueness' } });
    expect((await service.as(admin).getExtension({ id: before.id })).extension).toEqual(before);
  });

  test('its own number is not taken', async () => {
    const { admin } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000' });
    const { extension } = await service.as(admin).upsertExtension({ id, ramal: '3000', first_name: 'Bia' });
    expect(extension).toMatchObject({ ramal: '3000', first_name: 'Bia' });
  });

  test('two that want each other’s number at once do not block each other', async () => {
    const { admin } = newAccount();
    const one = await create(service.as(admin), { ramal: '3000' });
    const two = await create(service.as(admin), { ramal: '3001' });
    const results = await Promise.allSettled([
      service.as(admin).upsertExtension({ id: one.id, ramal: '3001' }),
      service.as(admin).upsertExtension({ id: two.id, ramal: '3000' }),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: ErrorKind.VALIDATION } });
    }
  });

  test('a USER cannot read a senha by writing the own e-mail on the extension', async () => {
    const { admin, bob } = newAccount();
    const { id } = await create(service.as(admin), { ramal: '3000' });
    expect(await refusal(service.as(bob).upsertExtension({ id, email_address: 'bob@example.com' }))).toMatchObject({
      kind: ErrorKind.DENIED,
      code: 'ACCESS_DENIED',
    });
    const { extension } = await service
      .as(bob)
      .upsertExtension({ id, email_address: 'bob@example.com', senha: 'segredo-numero-2' });
    expect(extension!.senha).toBe('segredo-numero-2');
  });
});
