import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type {
  CreateExtensionRequest,
  CreateNextExtensionRequest,
  UpsertExtensionRequest,
} from '../generated/types.gen';
import { filterText } from '../pages';
import type { ListOptions } from '../pages';
import { keyed } from '../request-options';
import type { KeyedRequestOptions, RequestOptions } from '../request-options';

export function extensionsOf(client: Client) {
  return {
    /** All of them, in the order of their ids. */
    list: ({ filter, signal }: ListOptions = {}) =>
      api.listExtensions({ client, query: { filter: filterText(filter) }, signal }),

    get: (id: number, options: RequestOptions = {}) => api.getExtension({ client, path: { id }, ...options }),

    create: (body: CreateExtensionRequest, options: KeyedRequestOptions = {}) =>
      api.createExtension({ client, body, ...keyed(options) }),

    /** With the next free number. */
    createNext: (body: CreateNextExtensionRequest = {}, options: KeyedRequestOptions = {}) =>
      api.createNextExtension({ client, body, ...keyed(options) }),

    update: (id: number, body: Omit<UpsertExtensionRequest, 'id'>, options: RequestOptions = {}) =>
      api.upsertExtension({ client, body: { ...body, id }, ...options }),

    delete: async (id: number, options: RequestOptions = {}): Promise<void> => {
      await api.deleteExtension({ client, path: { id }, ...options });
    },

    /** Which softphone is registered. */
    registration: (id: number, options: RequestOptions = {}) =>
      api.getRegistration({ client, path: { extension_id: id }, ...options }),

    /** Throws the softphone out. */
    endRegistration: async (id: number, options: RequestOptions = {}): Promise<void> => {
      await api.endRegistration({ client, path: { extension_id: id }, ...options });
    },

    /** A link with which a softphone sets itself up. */
    provisioning: (id: number, options: RequestOptions = {}) =>
      api.createProvisioning({ client, path: { id }, ...options }),

    /** The caller's own extension, and what a web phone needs. */
    phone: (options: RequestOptions = {}) => api.getPhone({ client, ...options }),

    /** The same, after an extension was created for a caller who has none. */
    createPhone: (options: RequestOptions = {}) => api.createPhone({ client, ...options }),
  };
}
