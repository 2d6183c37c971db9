import { ExtensionCreated, ExtensionDeleted, ExtensionUpdated } from '../../generated/sabia/extensions/v1/events';
import { defineEvent } from './define-event';

export const extensionsEvents = {
  extensionCreated: defineEvent('extensions.extension.created', ExtensionCreated),
  extensionUpdated: defineEvent('extensions.extension.updated', ExtensionUpdated),
  extensionDeleted: defineEvent('extensions.extension.deleted', ExtensionDeleted),
};
