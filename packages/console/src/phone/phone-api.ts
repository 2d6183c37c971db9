import { SabiaError } from '@sabia/client';
import { consoleHeader, sabia } from '../api/client';
import { inWords, isNotFound } from '../api/errors';
import { Refusal } from './engine/api';
import type { PhoneAccess, PhoneApi } from './engine/api';

/** The API of the gateway that served the page, under the user's session. */
export const phoneApi: PhoneApi = {
  access: () => refusing(async () => (await sabia.extensions.phone()) as unknown as PhoneAccess),
  createExtension: () => refusing(async () => (await sabia.extensions.createPhone()) as unknown as PhoneAccess),
  placeCall: (body) => refusing(async () => ({ id: (await sabia.calls.create(body)).id })),
  findCall: (id) =>
    refusing(async () => {
      try {
        const call = await sabia.calls.get(id);
        const { status = '', answered_at: answered = null, hangup_cause: cause = null } = call;
        return { status, answered_at: answered, hangup_cause: cause };
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    }),
  hangUp: (id) => refusing(async () => void (await sabia.calls.hangUp(id))),
  leave(id, left) {
    // The request outlives the page.
    void fetch(`/api/v1/calls/${id}/leave`, {
      method: 'POST',
      keepalive: true,
      headers: { ...consoleHeader, 'content-type': 'application/json' },
      body: JSON.stringify(left),
    }).catch(() => undefined);
  },
  transfer: (id, body) => refusing(async () => void (await sabia.calls.transfer(id, body))),
};

async function refusing<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SabiaError)) throw error;
    const [field] = Object.keys(error.fields);
    throw new Refusal(field === undefined ? error.code : `${error.code}:${field}`, inWords(error));
  }
}
