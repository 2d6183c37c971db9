import { extensionsEvents } from '@sabia/protos/events/extensions';
import type { ExtensionUpdated } from '@sabia/protos/sabia/extensions/v1/events';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { RetryLater } from '@sabia/service-kit/events/consumer/retry-later';

interface ExtensionName {
  domain: string;
  ramal: string;
}

const { extensionDeleted, extensionUpdated } = extensionsEvents;

/** Unregisters the softphones of an extension that was deleted, renumbered or given a new password. */
export const onExtensionChanged = (unregister: (extension: ExtensionName) => Promise<void>) =>
  defineConsumer({
    durable: 'telephony-extension-changed',
    events: [extensionUpdated, extensionDeleted],
    async effect(event) {
      const extension = event.type === extensionDeleted.type ? event.message : outdated(event.message);
      if (extension === undefined) {
        return;
      }
      try {
        await unregister(extension);
      } catch (error) {
        throw new RetryLater(1_000, error);
      }
    },
  });

/** The registrations that the update has made invalid. */
function outdated({ domain, ramal, previousRamal, credentialsChanged }: ExtensionUpdated): ExtensionName | undefined {
  if (previousRamal !== undefined) {
    return { domain, ramal: previousRamal };
  }
  return credentialsChanged ? { domain, ramal } : undefined;
}
