import { PlaceCallRequest, PlaceCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { readCallRequest } from '../domain/call-request';
import type { Dependencies, Handler } from './dependencies';
import { requestCall } from './request-call';

export function placeCall(dependencies: Dependencies): Handler<'placeCall'> {
  const { phoneCountry: country } = dependencies;
  return (request, context) =>
    requestCall(dependencies, context, {
      request,
      codecs: { request: PlaceCallRequest, response: PlaceCallResponse },
      read: ({ areaCode }, isInternal) => readCallRequest(request, { country, areaCode, isInternal }),
      called: request.called,
      dialId: null,
      respond: ({ id }) =>
        PlaceCallResponse.fromPartial({ status: 'success', id, message: 'The call is being placed.' }),
    });
}
