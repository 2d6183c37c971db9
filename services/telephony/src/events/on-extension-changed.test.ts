import { extensionsEvents } from '@sabia/protos/events/extensions';
import { ExtensionDeleted, ExtensionUpdated } from '@sabia/protos/sabia/extensions/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import { RetryLater } from '@sabia/service-kit/events/consumer/retry-later';
import { onExtensionChanged } from './on-extension-changed';

const { extensionDeleted, extensionUpdated } = extensionsEvents;
type Event = ReceivedEvent<typeof extensionDeleted | typeof extensionUpdated>;

const domain = 'acme.sabia.localhost';
const facts = { id: '', version: 1, accountId: 1, occurredAt: new Date(), deliveryCount: 1 };

async function tell(event: Event, fail?: Error) {
  const unregistered: unknown[] = [];
  const { effect } = onExtensionChanged(async (extension) => {
    if (fail) throw fail;
    unregistered.push({ domain: extension.domain, ramal: extension.ramal });
  });
  await effect(event, new AbortController().signal);
  return unregistered;
}

const updated = (change: Partial<ExtensionUpdated>): Event => ({
  ...facts,
  type: extensionUpdated.type,
  message: ExtensionUpdated.fromPartial({ domain, ramal: '1000', ...change }),
});
const deleted: Event = {
  ...facts,
  type: extensionDeleted.type,
  message: ExtensionDeleted.fromPartial({ domain, ramal: '1000' }),
};

test('the softphone of a deleted extension is unregistered', async () => {
  expect(await tell(deleted)).toEqual([{ domain, ramal: '1000' }]);
});

test('the softphone of an extension with a new password is unregistered', async () => {
  expect(await tell(updated({ credentialsChanged: true }))).toEqual([{ domain, ramal: '1000' }]);
});

test('the softphone of a renumbered extension is unregistered at the old number', async () => {
  expect(await tell(updated({ previousRamal: '0999' }))).toEqual([{ domain, ramal: '0999' }]);
  expect(await tell(updated({ previousRamal: '0999', credentialsChanged: true }))).toEqual([{ domain, ramal: '0999' }]);
});

test('any other change leaves the softphone registered', async () => {
  expect(await tell(updated({}))).toEqual([]);
});

test('while the switch is away the event is retried without counting as failed', async () => {
  await expect(tell(deleted, new Error('Asterisk is away'))).rejects.toBeInstanceOf(RetryLater);
});
