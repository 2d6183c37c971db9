import { randomUUID } from 'node:crypto';
import { DialResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { readCallRequest } from '../domain/call-request';
import type { Dependencies, Handler } from './dependencies';
import { startCall } from './start-call';

/** Answers an id that is good for ending the call and for nothing else. */
export function dial(dependencies: Dependencies): Handler<'dial'> {
  return async ({ extension, phone, metadata }, context) => {
    const caller = requireCaller(context);
    const options = { country: dependencies.phoneCountry, calledField: 'phone' };
    const wanted = readCallRequest({ extension, called: phone, metadata }, options);
    const dialId = randomUUID();
    await startCall(dependencies, caller, wanted, dialId);
    return DialResponse.fromPartial({ id: dialId, message: 'successfull' });
  };
}
