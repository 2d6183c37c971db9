import { RotateSecretResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { conflict, notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { mostSecrets, newSecret, rotationOverlapMs } from '../domain/signature';
import { lockPreviousSecrets, rotateSecret as rotate } from '../storage/rotate-secret';
import type { Dependencies, Handler } from './dependencies';
import { toIntegrationMessage } from './messages';

export function rotateSecret({ database, vault, now }: Dependencies): Handler<'rotateSecret'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    const at = now();
    const integration = await database.transaction(async (tx) => {
      const previous = await lockPreviousSecrets(tx, { accountId, id }, at);
      if (previous === undefined) {
        throw notFound('integration', id);
      }
      if (previous.length + 1 >= mostSecrets) {
        const ends = previous.at(-1)!.until.toISOString();
        throw conflict('TOO_MANY_SECRETS', `Ten secrets of the integration are in use; the oldest ends at ${ends}.`);
      }
      const until = new Date(at.getTime() + rotationOverlapMs);
      return rotate(tx, { accountId, id }, vault.seal(accountId, newSecret()), { now: at, until });
    });
    return RotateSecretResponse.fromPartial({ integration: toIntegrationMessage(integration, vault) });
  };
}
