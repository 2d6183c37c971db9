import { ApiError } from '../api/api-error';
import { api, bodyOf, consoleHeader } from '../api/client';
import { Refusal } from './engine/api';
import type { PhoneAccess, PhoneApi } from './engine/api';

/** The API of the gateway that served the page, under the user's session. */
export const phoneApi: PhoneApi = {
  access: () => refusing(async () => (await bodyOf(api.GET('/api/v1/phone'))) as unknown as PhoneAccess),
  createExtension: () => refusing(async () => (await bodyOf(api.POST('/api/v1/phone'))) as unknown as PhoneAccess),
  placeCall: (body) => refusing(async () => ({ id: (await bodyOf(api.POST('/api/v1/calls', { body }))).id ?? '' })),
  findCall: (id) =>
    refusing(async () => {
      try {
        const call = await bodyOf(api.GET('/api/v1/calls/{id}', { params: { path: { id } } }));
        const { status = '', answered_at: answered = null, hangup_cause: cause = null } = call;
        return { status, answered_at: answered, hangup_cause: cause };
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    }),
  hangUp: (id) =>
    refusing(async () => void (await api.POST('/api/v1/calls/{id}/hangup', { params: { path: { id } } }))),
  leave(id, left) {
    // The request outlives the page.
    void fetch(`/api/v1/calls/${id}/leave`, {
      method: 'POST',
      keepalive: true,
      headers: { ...consoleHeader, 'content-type': 'application/json' },
      body: JSON.stringify(left),
    }).catch(() => undefined);
  },
  transfer: (id, body) =>
    refusing(async () => void (await api.POST('/api/v1/calls/{id}/transfer', { params: { path: { id } }, body }))),
};

async function refusing<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [field] = Object.keys(error.fields);
    throw new Refusal(field === undefined ? error.code : `${error.code}:${field}`, error.message);
  }
}
