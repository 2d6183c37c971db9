import { EndRegistrationResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { unavailable } from '@sabia/service-kit/errors';
import type { Dependencies, Handler } from './dependencies';
import { extensionOfCaller } from './extension-of-caller';

export function endRegistration(dependencies: Dependencies): Handler<'endRegistration'> {
  return async ({ extensionId }, context) => {
    const extension = await extensionOfCaller(dependencies, context, extensionId);
    try {
      await dependencies.registrar.throwOut(extension);
    } catch (error) {
      throw unavailable('The switch cannot be reached at the moment.', 5, error);
    }
    return EndRegistrationResponse.fromPartial({});
  };
}
