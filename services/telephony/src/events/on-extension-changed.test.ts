import { ExtensionDeleted, ExtensionUpdated } from '@sabia/protos/sabia/extensions/v1/events';
import { RetryLater } from '@sabia/service-kit/events/consumer/consumer';
import { onExtensionChanged } from './on-extension-changed';

const domain = 'acme.sabia.localhost';

async function tell(type: 'updated' | 'deleted', payload: Uint8Array, fail?: Error) {
  const thrownOut: unknown[] = [];
  const { effect } = onExtensionChanged(async (who) => {
    if (fail) throw fail;
    thrownOut.push({ domain: who.domain, ramal: who.ramal });
  });
  const event = { type: `extensions.extension.${type}`, payload } as Parameters<typeof effect>[0];
  await effect(event, {} as Parameters<typeof effect>[1]);
  return thrownOut;
}

const updated = (change: Partial<ExtensionUpdated>): Uint8Array =>
  ExtensionUpdated.encode(ExtensionUpdated.fromPartial({ domain, ramal: '1000', ...change })).finish();
const deleted = ExtensionDeleted.encode(ExtensionDeleted.fromPartial({ domain, ramal: '1000' })).finish();

test('the softphone of a deleted extension is removed', async () => {
  expect(await tell('deleted', deleted)).toEqual([{ domain, ramal: '1000' }]);
});

test('so is that of an extension with a new password', async () => {
  expect(await tell('updated', updated({ credentialsChanged: true }))).toEqual([{ domain, ramal: '1000' }]);
});

test('the softphone at the old number of a renumbered extension is removed', async () => {
  expect(await tell('updated', updated({ previousRamal: '0999' }))).toEqual([{ domain, ramal: '0999' }]);
  expect(await tell('updated', updated({ previousRamal: '0999', credentialsChanged: true }))).toEqual([
    { domain, ramal: '0999' },
  ]);
});

test('any other change leaves it alone', async () => {
  expect(await tell('updated', updated({}))).toEqual([]);
});

test('while the switch is away the event is retried and does not count as failed', async () => {
  await expect(tell('deleted', deleted, new Error('Asterisk is away'))).rejects.toBeInstanceOf(RetryLater);
});
