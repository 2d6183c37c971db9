import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/consumer';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { onExtensionDisplaced } from './on-extension-displaced';
import { onExtensionRegistered } from './on-extension-registered';
import { onExtensionUnregistered } from './on-extension-unregistered';

type Handle = (event: ReceivedEvent, tx: Transaction) => Promise<void>;

const handlers = new Map<string, Handle>([
  ['telephony.extension.registered', onExtensionRegistered],
  ['telephony.extension.unregistered', onExtensionUnregistered],
  ['telephony.extension.displaced', onExtensionDisplaced],
]);

/** Every event that extensions listens to. One consumer, so that the news of one extension keep their order. */
export const registrationNews = {
  durable: 'extensions-registrations',
  types: [...handlers.keys()],
  async handle(event: ReceivedEvent, tx: Transaction): Promise<void> {
    await handlers.get(event.type)?.(event, tx);
  },
};
