import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type {
  CreateFinancialAccountRequest,
  SignUpRequest,
  UpdateAccountRequest,
  UpdateFinancialAccountRequest,
} from '../generated/types.gen';
import type { RequestOptions } from '../request-options';

export function accountOf(client: Client) {
  return {
    get: (options: RequestOptions = {}) => api.getAccount({ client, ...options }),

    update: (body: UpdateAccountRequest, options: RequestOptions = {}) =>
      api.updateAccount({ client, body, ...options }),

    signUp: (body: SignUpRequest, options: RequestOptions = {}) => api.signUp({ client, body, ...options }),

    /** Sends the e-mail with the confirmation link once more. */
    resendConfirmation: async (email: string, options: RequestOptions = {}): Promise<void> => {
      await api.resendConfirmation({ client, body: { email }, ...options });
    },

    /** The values that a signup may have. */
    signUpChoices: (options: RequestOptions = {}) => api.getSignUpChoices({ client, ...options }),

    /** Who pays: needed before the first charge. */
    financial: {
      get: (options: RequestOptions = {}) => api.getFinancialAccount({ client, ...options }),
      create: (body: CreateFinancialAccountRequest, options: RequestOptions = {}) =>
        api.createFinancialAccount({ client, body, ...options }),
      update: (body: UpdateFinancialAccountRequest, options: RequestOptions = {}) =>
        api.updateFinancialAccount({ client, body, ...options }),
    },
  };
}
