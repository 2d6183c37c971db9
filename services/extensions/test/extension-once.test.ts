import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { refusal } from '@sabia/testkit/refused-rpc';
import { goodFields, newAccount, openHome } from './harness';
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

const rpcs = ['createExtension', 'createNextExtension'] as const;

describe.each(rpcs)('%s with an idempotency key', (rpc) => {
  const create = async (caller: Caller, key: string, fields: object = {}) => {
    let replayed = false;
    const request = { ...goodFields, ...(rpc === 'createExtension' ? { ramal: '2000' } : {}), ...fields };
    const { extension } = await service.as(caller, key, () => (replayed = true))[rpc](request);
    return { extension, replayed };
  };
  const list = async (caller: Caller) => (await service.as(caller).listExtensions({ filter: undefined })).extensions;

  test('makes one extension, and answers every repetition alike, senha included', async () => {
    const { admin } = newAccount();
    const first = await create(admin, 'a');
    expect(first).toMatchObject({ replayed: false, extension: { senha: goodFields.senha } });
    const { id } = first.extension!;
    await service.as(admin).upsertExtension({ id, first_name: 'Renamed', senha: 'another-segredo' });
    expect(await create(admin, 'a')).toEqual({ ...first, replayed: true });
    await service.as(admin).deleteExtension({ id });
    expect(await create(admin, 'a')).toEqual({ ...first, replayed: true });
    expect(await list(admin)).toEqual([]);
  });

  test('shows the senha again only to who may see it', async () => {
    const { bob } = newAccount();
    const first = await create(bob, 'b');
    expect(first.extension!.senha).toBeUndefined();
    expect(await create(bob, 'b')).toEqual({ ...first, replayed: true });
  });

  test('tells a USER no senha of an extension that has become a colleague’s', async () => {
    const { admin, ana, bob } = newAccount();
    const own = { senha: undefined, email_address: ana.email };
    const first = await create(ana, 'handed over', own);
    expect(first.extension!.senha).toBeTruthy();
    expect(await create(ana, 'handed over', own)).toEqual({ ...first, replayed: true });
    const { id } = first.extension!;
    await service.as(admin).upsertExtension({ id, email_address: bob.email, senha: 'segredo-do-colega' });
    const { senha: _, ...others } = first.extension!;
    expect(await create(ana, 'handed over', own)).toEqual({ replayed: true, extension: others });
  });

  test('keeps no senha in the clear', async () => {
    const { admin } = newAccount();
    const senha = 'segredo-que-ninguem-guarda';
    await create(admin, 'c', { senha });
    const rows = await home.sql.query<{ answer: Buffer }>('SELECT answer FROM idempotency_keys');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ answer }) => answer.includes(senha))).toBe(false);
  });

  test('also when twenty come at once; another request with the key is refused', async () => {
    const { admin } = newAccount();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(admin, 'd')));
    expect(new Set(answers.map(({ extension }) => extension!.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await list(admin)).toHaveLength(1);
    const other = await refusal(create(admin, 'd', { first_name: 'Bia' }));
    expect(other).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });
});
