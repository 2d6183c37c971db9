import { RotateSecretResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { newSecret, rotationOverlapMs } from '../domain/signature';
import { rotateSecret as rotate } from '../storage/integrations';
import type { Dependencies, Handler } from './dependencies';
import { toIntegrationMessage } from './messages';

export function rotateSecret({ database, vault, now }: Dependencies): Handler<'rotateSecret'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    const at = now();
    const integration = await rotate(database, { accountId, id }, vault.seal(accountId, newSecret()), {
      now: at,
      until: new Date(at.getTime() + rotationOverlapMs),
    });
    if (integration === undefined) {
      throw notFound('integration', id);
    }
    return RotateSecretResponse.fromPartial({ integration: toIntegrationMessage(integration, vault) });
  };
}
