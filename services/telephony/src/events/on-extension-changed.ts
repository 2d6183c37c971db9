import { ExtensionDeleted, ExtensionUpdated } from '@sabia/protos/sabia/extensions/v1/events';
import { RetryLater } from '@sabia/service-kit/events/consumer/consumer';
import type { EffectConsumer } from '@sabia/service-kit/events/consumer/definition';

interface ExtensionName {
  domain: string;
  ramal: string;
}

/** Removes the softphone of an extension that was deleted or renumbered, or has a new password. */
export function onExtensionChanged(throwOut: (extension: ExtensionName) => Promise<void>): EffectConsumer {
  return {
    durable: 'telephony-extension-changed',
    types: ['extensions.extension.updated', 'extensions.extension.deleted'],
    async effect({ type, payload }) {
      const who = type.endsWith('.deleted')
        ? ExtensionDeleted.decode(payload)
        : unwelcome(ExtensionUpdated.decode(payload));
      if (who === undefined) {
        return;
      }
      try {
        await throwOut(who);
      } catch (error) {
        throw new RetryLater(1_000, error);
      }
    },
  };
}

function unwelcome({ domain, ramal, previousRamal, credentialsChanged }: ExtensionUpdated): ExtensionName | undefined {
  if (previousRamal !== undefined) {
    return { domain, ramal: previousRamal };
  }
  return credentialsChanged ? { domain, ramal } : undefined;
}
