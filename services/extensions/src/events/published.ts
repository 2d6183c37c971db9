import { ExtensionCreated, ExtensionDeleted, ExtensionUpdated } from '@sabia/protos/sabia/extensions/v1/events';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Extension } from '../domain/extension';

/** Every event that extensions publishes. None carries a senha or a digest. */

const nameOf = ({ id, domain, ramal }: Extension) => ({ extensionId: id, domain, ramal });

export const extensionCreated = (extension: Extension): OutgoingEvent => ({
  type: 'extensions.extension.created',
  accountId: extension.accountId,
  payload: ExtensionCreated.encode(nameOf(extension)).finish(),
});

export const extensionUpdated = (
  extension: Extension,
  change: { credentialsChanged: boolean; previousRamal?: string },
): OutgoingEvent => ({
  type: 'extensions.extension.updated',
  accountId: extension.accountId,
  payload: ExtensionUpdated.encode({ ...nameOf(extension), ...change }).finish(),
});

export const extensionDeleted = (extension: Extension): OutgoingEvent => ({
  type: 'extensions.extension.deleted',
  accountId: extension.accountId,
  payload: ExtensionDeleted.encode(nameOf(extension)).finish(),
});
