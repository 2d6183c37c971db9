import { PlaceCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { readCallRequest } from '../domain/call-request';
import type { Dependencies, Handler } from './dependencies';
import { startCall } from './start-call';

export function placeCall(dependencies: Dependencies): Handler<'placeCall'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const wanted = readCallRequest(request, { country: dependencies.phoneCountry });
    const { id } = await startCall(dependencies, caller, wanted);
    return PlaceCallResponse.fromPartial({ status: 'success', id, message: 'The call is being placed.' });
  };
}
