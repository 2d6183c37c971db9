import { extensionsEvents } from '@sabia/protos/events/extensions';
import { outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Extension } from '../domain/extension';

/** Every event that extensions publishes. None carries a senha or a digest. */

const nameOf = ({ id, domain, ramal }: Extension) => ({ extensionId: id, domain, ramal });

export const extensionCreated = (extension: Extension): OutgoingEvent =>
  outgoingEvent(extensionsEvents.extensionCreated, nameOf(extension), { accountId: extension.accountId });

export const extensionUpdated = (
  extension: Extension,
  change: { credentialsChanged: boolean; previousRamal?: string },
): OutgoingEvent =>
  outgoingEvent(
    extensionsEvents.extensionUpdated,
    { ...nameOf(extension), ...change },
    { accountId: extension.accountId },
  );

export const extensionDeleted = (extension: Extension): OutgoingEvent =>
  outgoingEvent(extensionsEvents.extensionDeleted, nameOf(extension), { accountId: extension.accountId });
