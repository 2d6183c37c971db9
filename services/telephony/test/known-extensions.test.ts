import { extensionsEvents } from '@sabia/protos/events/extensions';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { unavailable } from '@sabia/service-kit/errors';
import { extensionCache } from '@sabia/service-kit/events/caches/shared-cache';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { currentScope, runInScope } from '@sabia/service-kit/request-scope';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { createKnownExtensions } from '../src/placing/known-extensions';
import type { KnownExtensions } from '../src/placing/known-extensions';
import { silent } from './stage';

const { extensionDeleted, extensionUpdated } = extensionsEvents;
/** Of this test alone: other tests use the same server. */
const accountId = 1_000_000_000 + Math.floor(Math.random() * 1e9);
const named = { extensionId: 1, domain: 'acme.test', ramal: '1000' };
let nats: Nats;
let asked: string[];
let names: Map<string, string>;
let known: KnownExtensions;
/** Answers are held back while it is pending. */
let mayAnswer: Promise<void>;

const resolve = async ({ ramal = '' }) => {
  asked.push(ramal);
  const signal = currentScope()?.signal;
  const name = names.get(ramal);
  await mayAnswer;
  signal?.throwIfAborted();
  if (name === 'away') throw unavailable();
  return name === undefined ? undefined : { accountId, extension: Extension.fromPartial({ ramal, first_name: name }) };
};
const nameOf = async (ramal: string) => (await known.find(accountId, ramal))?.first_name;

/** Its lease does not run out, however busy the machine is. */
const open = (through: Nats) =>
  createKnownExtensions({ extensions: { resolve }, nats: through, log: silent, elapsed: () => 0 });

beforeAll(() => {
  nats = connectNats({ url: testServers().natsUrl, name: 'test', log: silent });
});
afterAll(() => nats.close());
beforeEach(async () => {
  names = new Map([['0', 'Keeper']]);
  asked = [];
  mayAnswer = Promise.resolve();
  known = open(nats);
  // The cache is used from the first lease on.
  await eventually(async () => {
    asked = [];
    await nameOf('0');
    await nameOf('0');
    return asked.length === 0;
  });
});
afterEach(() => known.stop());

async function tell(subject: string, type: string, payload: Uint8Array): Promise<void> {
  const envelope = Envelope.encode(Envelope.fromPartial({ accountId, type, payload: Buffer.from(payload) })).finish();
  const connection = await nats.connection();
  if (subject === extensionCache.dropSubject) {
    // Acknowledged after the drop.
    await connection.request(subject, envelope, { timeout: 60_000 });
  } else {
    connection.publish(subject, envelope);
    await connection.flush();
  }
}

test('an extension is asked for once, and what does not exist each time', async () => {
  names.set('1000', 'Ana');
  expect([await nameOf('1000'), await nameOf('1000')]).toEqual(['Ana', 'Ana']);
  expect([await nameOf('2000'), await nameOf('2000')]).toEqual([undefined, undefined]);
  names.set('3000', 'away');
  await expect(nameOf('3000')).rejects.toThrow();
  names.set('3000', 'Eva');
  expect(await nameOf('3000')).toBe('Eva');
  // Twice each: the first lookup could have been shared, and older than the extension.
  expect(asked).toEqual(['1000', '2000', '2000', '2000', '2000', '3000', '3000']);
});

const updated = { ...named, credentialsChanged: false };
test.each([
  ['the broadcast of a change', extensionCache.dropSubject, extensionUpdated.type, extensionUpdated.encode(updated)],
  ['its event', `sabia.${extensionUpdated.type}`, extensionUpdated.type, extensionUpdated.encode(updated)],
  ['a deletion', extensionCache.dropSubject, extensionDeleted.type, extensionDeleted.encode(named)],
  ['its event', `sabia.${extensionDeleted.type}`, extensionDeleted.type, extensionDeleted.encode(named)],
  [
    'another extension of the account',
    extensionCache.dropSubject,
    extensionUpdated.type,
    extensionUpdated.encode({ ...updated, ramal: '2000' }),
  ],
])('is asked for again after %s: %s', async (_name, subject, type, payload) => {
  names.set('1000', 'Ana');
  expect(await nameOf('1000')).toBe('Ana');
  names.delete('1000');
  expect(await nameOf('1000')).toBe('Ana');
  await tell(subject, type, payload);
  await eventually(async () => (await nameOf('1000')) === undefined);
});

test('what cannot be read drops everything, and the change of another account nothing', async () => {
  names.set('1000', 'Ana');
  await nameOf('1000');
  asked = [];
  const connection = await nats.connection();
  const ofAnother = Envelope.encode(Envelope.fromPartial({ accountId: accountId + 1 })).finish();
  await connection.request(extensionCache.dropSubject, ofAnother, { timeout: 60_000 });
  await nameOf('1000');
  expect(asked).toEqual([]);
  await connection.request(extensionCache.dropSubject, Buffer.from([255]), { timeout: 60_000 });
  await nameOf('1000');
  expect(asked).toEqual(['1000']);
});

test('an extension that is created while it is looked for is found', async () => {
  const letGo = holdBack();
  const early = nameOf('1000');
  names.set('1000', 'Ana');
  const late = nameOf('1000');
  letGo();
  expect([await early, await late]).toEqual(['Ana', 'Ana']);
});

/** Holds back the answers of extensions until the function that it returns is called. */
function holdBack(): () => void {
  let letGo = (): void => undefined;
  mayAnswer = new Promise((resolved) => (letGo = resolved));
  return letGo;
}

test('what was read before a change is not kept', async () => {
  names.set('1000', 'Ana');
  const letGo = holdBack();
  const early = nameOf('1000');
  names.set('1000', 'Bia');
  await tell(extensionCache.dropSubject, extensionUpdated.type, extensionUpdated.encode(updated));
  const late = nameOf('1000');
  letGo();
  expect([await early, await late, await nameOf('1000')]).toEqual(['Ana', 'Bia', 'Bia']);
});

test('who shares a lookup gets its answer though the first has left', async () => {
  names.set('1000', 'Ana');
  const letGo = holdBack();
  const first = new AbortController();
  const asking = runInScope({ requestId: 'first', signal: first.signal }, () => nameOf('1000'));
  const second = nameOf('1000');
  first.abort();
  letGo();
  await asking.catch(() => undefined);
  expect(await second).toBe('Ana');
  expect(asked).toEqual(['1000']);
});

test('without NATS each call asks', async () => {
  const alone = connectNats({ url: 'nats://127.0.0.1:1', name: 'test', log: silent });
  const unaware = open(alone);
  await unaware.find(accountId, '0');
  await unaware.find(accountId, '0');
  expect(asked).toEqual(['0', '0']);
  unaware.stop();
  await alone.close();
});
