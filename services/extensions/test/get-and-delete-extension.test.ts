import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { refusal } from '@sabia/testkit/refused-rpc';
import { create, newAccount, openHome } from './harness';
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

const unknown = { kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' };

test('one extension', async () => {
  const { admin } = newAccount();
  const created = await create(service.as(admin), { ramal: '2000' });
  expect((await service.as(admin).getExtension({ id: created.id })).extension).toEqual(created);
});

test('one that does not exist, and one of another account: 404', async () => {
  const { admin } = newAccount();
  const stranger = newAccount();
  const { id } = await create(service.as(stranger.admin), { ramal: '2000' });
  for (const asked of [id, 999_999_999, 0, -5]) {
    expect(await refusal(service.as(admin).getExtension({ id: asked }))).toMatchObject(unknown);
    expect(await refusal(service.as(admin).deleteExtension({ id: asked }))).toMatchObject(unknown);
  }
  expect((await service.as(stranger.admin).getExtension({ id })).extension!.id).toBe(id);
});

test('deleting is once and for all, and frees the number', async () => {
  const { admin, ana } = newAccount();
  const { id } = await create(service.as(admin), { ramal: '2000' });
  await service.as(ana).deleteExtension({ id });
  expect(await refusal(service.as(admin).deleteExtension({ id }))).toMatchObject(unknown);
  expect(await refusal(service.as(admin).getExtension({ id }))).toMatchObject(unknown);
  expect((await create(service.as(admin), { ramal: '2000' })).id).not.toBe(id);
});

test('a request without a caller is refused', async () => {
  for (const call of [
    service.as(undefined).getExtension({ id: 1 }),
    service.as(undefined).deleteExtension({ id: 1 }),
    service.as(undefined).listExtensions({}),
    service.as(undefined).upsertExtension({ id: 1 }),
    service.as(undefined).createNextExtension({}),
  ]) {
    expect(await refusal(call)).toMatchObject({ kind: ErrorKind.UNAUTHENTICATED });
  }
});
