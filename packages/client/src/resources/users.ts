import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type {
  ChangePasswordRequest,
  CreateAccessTokenRequest,
  CreateUserRequest,
  LoginRequest,
  UpdateUserRequest,
} from '../generated/types.gen';
import { filterText } from '../pages';
import type { ListOptions } from '../pages';
import { keyed } from '../request-options';
import type { KeyedRequestOptions, RequestOptions } from '../request-options';

export function usersOf(client: Client) {
  return {
    /** The token is the `id` of the answer. */
    logIn: (body: LoginRequest, options: RequestOptions = {}) => api.login({ client, body, ...options }),

    /** Ends the token with which it is asked. */
    logOut: async (options: RequestOptions = {}): Promise<void> => {
      await api.logout({ client, ...options });
    },

    /** Sends an e-mail with a link to choose a new password. */
    requestPasswordReset: async (email: string, options: RequestOptions = {}): Promise<void> => {
      await api.requestPasswordReset({ client, body: { email }, ...options });
    },

    /** The caller's own; every other session of theirs ends. */
    changePassword: async (body: ChangePasswordRequest, options: RequestOptions = {}): Promise<void> => {
      await api.changePassword({ client, body, ...options });
    },

    me: (options: RequestOptions = {}) => api.getMe({ client, ...options }),

    list: ({ filter, signal }: ListOptions = {}) =>
      api.listUsers({ client, query: { filter: filterText(filter) }, signal }),

    get: (uuid: string, options: RequestOptions = {}) => api.getUser({ client, path: { uuid }, ...options }),

    create: (body: CreateUserRequest, options: KeyedRequestOptions = {}) =>
      api.createUser({ client, body, ...keyed(options) }),

    update: (body: UpdateUserRequest, options: RequestOptions = {}) => api.updateUser({ client, body, ...options }),

    delete: async (uuid: string, options: RequestOptions = {}): Promise<void> => {
      await api.deleteUser({ client, path: { uuid }, ...options });
    },
  };
}

export function tokensOf(client: Client) {
  return {
    list: (options: RequestOptions = {}) => api.listAccessTokens({ client, ...options }),

    create: (body: CreateAccessTokenRequest = {}, options: RequestOptions = {}) =>
      api.createAccessToken({ client, body, ...options }),

    revoke: async (prefix: string, options: RequestOptions = {}): Promise<void> => {
      await api.revokeAccessToken({ client, path: { prefix }, ...options });
    },
  };
}
