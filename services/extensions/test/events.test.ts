import { randomUUID } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { ExtensionCreated, ExtensionDeleted, ExtensionUpdated } from '@sabia/protos/sabia/extensions/v1/events';
import { AccountLimited, AccountResumed, AccountSuspended } from '@sabia/protos/sabia/identity/v1/events';
import type { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import {
  ExtensionDisplaced,
  ExtensionRegistered,
  ExtensionUnregistered,
} from '@sabia/protos/sabia/telephony/v1/events';
import { extensionCache } from '@sabia/service-kit/events/caches/shared-cache';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { refusal } from '@sabia/testkit/refused-rpc';
import { findLimit, saveLimit } from '../src/storage/account-limits';
import { create, createNext, newAccount, openHome } from './harness';
import type { Home, RunningExtensions } from './harness';

let home: Home;
let service: RunningExtensions;
let nats: Nats;
const published: Envelope[] = [];
const dropped: Envelope[] = [];

beforeAll(async () => {
  nats = connectNats({
    url: testServers().natsUrl,
    name: 'test',
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  const connection = await nats.connection();
  await ensureStreams(connection);
  connection.subscribe('sabia.extensions.*.*', {
    callback: (_error, message) => void published.push(Envelope.decode(message.data)),
  });
  connection.subscribe(extensionCache.dropSubject, {
    callback: (_error, message) => void dropped.push(Envelope.decode(message.data)),
  });
  home = await openHome();
  service = await home.start({ withNats: true });
});

afterAll(async () => {
  await service?.stop();
  await nats?.close();
  await home?.close();
});

const publishedFor = (accountId: number, count: number): Promise<Envelope[]> =>
  eventually(() => {
    const found = published.filter((event) => event.accountId === accountId);
    return found.length >= count && found;
  });

async function publish(type: string, accountId: number, payload: Uint8Array, id: string = randomUUID()): Promise<void> {
  const envelope = Envelope.fromPartial({
    id,
    type,
    version: 1,
    accountId,
    occurredAt: new Date(),
    payload: Buffer.from(payload),
  });
  const connection = await nats.connection();
  await connection.jetstream().publish(`sabia.${type}`, Envelope.encode(envelope).finish());
}

describe('out', () => {
  test('created, updated and deleted, once each, in order', async () => {
    const { admin, accountId, domain } = newAccount();
    const extensions = service.as(admin);
    const { id } = await createNext(extensions);
    await extensions.upsertExtension({ id, last_name: 'Lima' });
    await extensions.upsertExtension({ id, senha: 'segredo-numero-2' });
    await extensions.upsertExtension({ id, ramal: '2000' });
    await extensions.deleteExtension({ id });
    const events = await publishedFor(accountId, 5);

    expect(events.map(({ type }) => type)).toEqual([
      'extensions.extension.created',
      'extensions.extension.updated',
      'extensions.extension.updated',
      'extensions.extension.updated',
      'extensions.extension.deleted',
    ]);
    const named = { extensionId: id, domain, ramal: '1000' };
    const [created, renamed, resecured, renumbered, deleted] = events.map(({ payload }) => payload);
    expect(ExtensionCreated.decode(created!)).toEqual(named);
    expect(ExtensionUpdated.decode(renamed!)).toEqual({ ...named, credentialsChanged: false });
    expect(ExtensionUpdated.decode(resecured!)).toEqual({ ...named, credentialsChanged: true });
    expect(ExtensionUpdated.decode(renumbered!)).toEqual({
      ...named,
      ramal: '2000',
      credentialsChanged: true,
      previousRamal: '1000',
    });
    expect(ExtensionDeleted.decode(deleted!)).toEqual({ ...named, ramal: '2000' });
  });

  test('a change is answered once nobody can go on with what was cached, also when there was nothing to do any more', async () => {
    const clock = { now: 0 };
    const waiting = await home.start({ withNats: true, elapsed: () => clock.now });
    const { admin, accountId } = newAccount();
    const { id, ramal } = await createNext(waiting.as(admin));
    try {
      for (const change of [
        () => waiting.as(admin).upsertExtension({ id, last_name: 'Lima' }),
        () => waiting.as(admin).upsertExtension({ id, ramal }),
        () => waiting.as(admin).upsertExtension({ id, ramal: '2000' }),
        () => waiting.as(admin).deleteExtension({ id }),
        () => refusal(waiting.as(admin).deleteExtension({ id })),
      ]) {
        const before = dropped.length;
        // A replica of telephony that uses its cache, and does not acknowledge.
        const connection = await nats.connection();
        connection.publish(`${extensionCache.leasePrefix}played`);
        await connection.flush();
        let answered = false;
        const answer = change().then(() => void (answered = true));
        await eventually(() => dropped.slice(before).some((event) => event.accountId === accountId));
        expect(answered).toBe(false);
        clock.now += 10_000;
        await answer;
      }
    } finally {
      clock.now += 10_000;
      await waiting.stop();
    }
  });

  test('nothing when nothing has changed, or when it was refused', async () => {
    const { admin, accountId } = newAccount();
    const extensions = service.as(admin);
    const { id, ramal } = await createNext(extensions);
    await extensions.upsertExtension({ id, ramal, senha: 'segredo-numero-1', first_name: 'Ana' });
    await refusal(extensions.upsertExtension({ id, ramal: 'x' }));
    await refusal(create(extensions, { ramal }));
    await extensions.deleteExtension({ id });
    const events = await publishedFor(accountId, 2);
    expect(events.map(({ type }) => type)).toEqual(['extensions.extension.created', 'extensions.extension.deleted']);
  });
});

describe('in', () => {
  const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

  const news = {
    registered: ({ domain, ramal }: Extension, time: Date) =>
      ['telephony.extension.registered', ExtensionRegistered.encode({ domain, ramal, at: time }).finish()] as const,
    unregistered: ({ domain, ramal }: Extension, time: Date) =>
      ['telephony.extension.unregistered', ExtensionUnregistered.encode({ domain, ramal, at: time }).finish()] as const,
    displaced: ({ domain, ramal }: Extension, time: Date) =>
      ['telephony.extension.displaced', ExtensionDisplaced.encode({ domain, ramal, at: time }).finish()] as const,
  };

  /** An extension, a way to send it news, and a look at it once all news have arrived. */
  async function softphone() {
    const { admin, accountId } = newAccount();
    const extension = await createNext(service.as(admin));
    const sentinel = await createNext(service.as(admin));
    const state = async (id: number) => (await service.as(admin).getExtension({ id })).extension!;
    return {
      extension,
      admin,
      async tell(kind: keyof typeof news, time: Date, id?: string) {
        await publish(news[kind](extension, time)[0], accountId, news[kind](extension, time)[1], id);
      },
      /** News of one account arrive in order: when those of the sentinel are there, so are all others. */
      async afterAll(): Promise<Extension> {
        const time = at(3600);
        await publish(news.registered(sentinel, time)[0], accountId, news.registered(sentinel, time)[1]);
        await eventually(async () => (await state(sentinel.id)).registered);
        await publish(news.unregistered(sentinel, time)[0], accountId, news.unregistered(sentinel, time)[1]);
        await eventually(async () => !(await state(sentinel.id)).registered);
        return state(extension.id);
      },
    };
  }

  test('a registration shows, with its time; so does its end', async () => {
    const phone = await softphone();
    const time = at(1);
    await phone.tell('registered', time);
    expect(await phone.afterAll()).toMatchObject({ registered: true, registered_at: time });
    await phone.tell('unregistered', at(2));
    expect(await phone.afterAll()).toMatchObject({ registered: false, registered_at: time });
  });

  test('late events change nothing', async () => {
    const phone = await softphone();
    const [first, second, third] = [at(1), at(2), at(3)];
    await phone.tell('registered', third);
    await phone.tell('unregistered', second);
    await phone.tell('registered', first);
    expect(await phone.afterAll()).toMatchObject({ registered: true, registered_at: third });
    await phone.tell('unregistered', at(4));
    await phone.tell('registered', third);
    expect(await phone.afterAll()).toMatchObject({ registered: false });
  });

  test('a repeated event has one effect', async () => {
    const phone = await softphone();
    const id: string = randomUUID();
    await phone.tell('registered', at(1), id);
    await phone.tell('unregistered', at(1));
    await phone.tell('registered', at(1), id);
    expect(await phone.afterAll()).toMatchObject({ registered: false });
  });

  test('a displaced softphone leaves the extension registered, in whatever order it is told', async () => {
    const one = await softphone();
    const [first, second, third] = [at(1), at(2), at(2.01)];
    await one.tell('registered', first);
    await one.tell('registered', second);
    await one.tell('displaced', third);
    expect(await one.afterAll()).toMatchObject({ registered: true, registered_at: third });

    const other = await softphone();
    await other.tell('registered', first);
    await other.tell('displaced', third);
    await other.tell('registered', second);
    expect(await other.afterAll()).toMatchObject({ registered: true, registered_at: second });
    await other.tell('unregistered', at(3));
    expect(await other.afterAll()).toMatchObject({ registered: false });
  });

  test('an extension with a new number has no softphone until one registers with it', async () => {
    const phone = await softphone();
    await phone.tell('registered', at(1));
    await phone.afterAll();
    const { extension } = await service.as(phone.admin).upsertExtension({ id: phone.extension.id, ramal: '7777' });
    expect(extension).toMatchObject({ registered: false, registered_at: undefined });
    await phone.tell('registered', at(2));
    expect(await phone.afterAll()).toMatchObject({ registered: false });
  });

  test('events of an earlier extension with the same number are ignored', async () => {
    const phone = await softphone();
    await phone.tell('registered', at(-60));
    expect(await phone.afterAll()).toMatchObject({ registered: false, registered_at: undefined });
  });

  test('events of unknown extensions are ignored', async () => {
    const phone = await softphone();
    const { accountId, domain } = newAccount();
    const payload = ExtensionRegistered.encode({ domain, ramal: '1000', at: new Date() }).finish();
    await publish('telephony.extension.registered', accountId, payload);
    await phone.tell('registered', at(1));
    expect(await phone.afterAll()).toMatchObject({ registered: true });
  });
});

describe('a suspended account', () => {
  test('has softphones that go and stay away, and no extension that a call finds, until it is resumed', async () => {
    const { admin, accountId, domain } = newAccount();
    const { id, ramal } = await createNext(service.as(admin));
    const other = newAccount();
    const { id: otherId } = await createNext(service.as(other.admin));
    const endpoint = `${ramal}@${domain}`;
    const resolve = (account: number, extensionId: number) =>
      service.as(undefined).resolveExtension(ResolveExtensionRequest.fromPartial({ accountId: account, extensionId }));
    const aclOf = async () =>
      home.admin.query<{ deny: string | null }>('SELECT deny FROM sip.ps_endpoints WHERE id = $1', [endpoint]);
    const register = async () => {
      const [row] = await home.admin.query<{ granted: number }>(
        `SELECT sip.register($1, 'sip:a@192.0.2.1', 300, 'edge', 'udp', 'udp', 'sip:192.0.2.1:5060', '', '192.0.2.1', 'x', 'call', 1)
         AS granted`,
        [endpoint],
      );
      return row!.granted;
    };
    await publishedFor(accountId, 1);

    const names = { accountId, accountUuid: randomUUID(), domain };
    const suspended = AccountSuspended.encode({ ...names, reason: 'unpaid' }).finish();
    await publish('identity.account.suspended', accountId, suspended);
    const [, told] = await publishedFor(accountId, 2);
    expect(ExtensionUpdated.decode(told!.payload)).toMatchObject({ extensionId: id, ramal, credentialsChanged: true });
    expect(await refusal(resolve(accountId, id))).toMatchObject({
      code: 'ACCOUNT_SUSPENDED',
      message: 'This account is suspended: unpaid',
    });
    expect(await aclOf()).toEqual([{ deny: '0.0.0.0/0,::/0' }]);
    expect(await register()).toBe(-2);
    expect((await resolve(other.accountId, otherId)).extension?.id).toBe(otherId);

    await publish('identity.account.resumed', accountId, AccountResumed.encode(names).finish());
    await eventually(async () => (await resolve(accountId, id)).extension?.id === id);
    expect(await aclOf()).toEqual([{ deny: null }]);
    expect(await register()).toBe(300);
  });
});

describe('a limited account', () => {
  test('gets no more extensions than it may have, however it asks; those beyond a lowered limit stay', async () => {
    const { admin, accountId, domain } = newAccount();
    const extensions = service.as(admin);
    const limit = async (most: number | undefined) => {
      const names = { accountId, accountUuid: randomUUID(), domain };
      await publish(
        'identity.account.limited',
        accountId,
        AccountLimited.encode({ ...names, extensions: most }).finish(),
      );
      await eventually(async () => (await findLimit(home.sql, accountId)) === most);
    };
    await limit(3);
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => createNext(extensions)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);

    await limit(2);
    const refused = {
      kind: ErrorKind.UNPROCESSABLE,
      code: 'TOO_MANY_EXTENSIONS',
      message: 'The account may have at most 2 extensions.',
    };
    for (const asked of [
      createNext(extensions),
      create(extensions, { ramal: '0100' }),
      extensions.upsertExtension({ ramal: '7000' }),
    ]) {
      expect(await refusal(asked)).toMatchObject(refused);
    }
    const { extensions: kept } = await extensions.listExtensions({});
    expect(kept).toHaveLength(3);
    await extensions.upsertExtension({ id: kept[0]!.id, last_name: 'Lima' });
    const other = newAccount();
    await createNext(service.as(other.admin));

    await limit(undefined);
    await createNext(extensions);
  });

  test('keeps the newest limit, in whatever order the events arrive', async () => {
    const { accountId } = newAccount();
    const told = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 0, 0, seconds));
    await saveLimit(home.sql, { accountId, extensions: 5, toldAt: told(2) });
    await saveLimit(home.sql, { accountId, extensions: 9, toldAt: told(1) });
    expect(await findLimit(home.sql, accountId)).toBe(5);
  });
});
