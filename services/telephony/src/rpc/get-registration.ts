import { GetRegistrationResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import type { Dependencies, Handler } from './dependencies';
import { extensionOfCaller } from './extension-of-caller';

export function getRegistration(dependencies: Dependencies): Handler<'getRegistration'> {
  const { registrar } = dependencies;
  return async ({ extensionId }, context) => {
    const extension = await extensionOfCaller(dependencies, context, extensionId);
    const [registered, softphone] = await Promise.all([registrar.isRegistered(extension), registrar.find(extension)]);
    return GetRegistrationResponse.fromPartial({
      registration: {
        registered,
        registered_at: extension.registered_at,
        user_agent: softphone?.userAgent,
        address: softphone?.address,
        transport: softphone?.transport,
        expires_at: softphone?.expiresAt,
      },
    });
  };
}
