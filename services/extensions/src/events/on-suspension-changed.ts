import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import { listExtensionsOfAccount } from '../storage/extensions';
import { saveSuspension } from '../storage/suspended-accounts';
import { extensionUpdated } from './published';

const { accountSuspended, accountResumed } = identityEvents;

/**
 * Refuses the softphones and calls of suspended accounts. The softphones that are registered are told to go as those of an extension
 * with a new senha are.
 */
export const onSuspensionChanged = (outbox: Outbox) =>
  defineConsumer({
    durable: 'extensions-suspensions',
    events: [accountSuspended, accountResumed],
    async handle(event, tx) {
      const { accountId, occurredAt: toldAt } = event;
      const reason = event.type === accountSuspended.type ? event.message.reason : null;
      if ((await saveSuspension(tx, { accountId, reason, toldAt })) && reason !== null) {
        const extensions = await listExtensionsOfAccount(tx, accountId);
        await outbox.write(
          tx,
          extensions.map((extension) => extensionUpdated(extension, { credentialsChanged: true })),
        );
      }
    },
  });
