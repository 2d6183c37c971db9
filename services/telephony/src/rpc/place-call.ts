import { PlaceCallRequest, PlaceCallResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { NewCall } from '../domain/call';
import { readCallRequest } from '../domain/call-request';
import { answerOnce } from './answer-once';
import type { Dependencies, Handler } from './dependencies';
import { startCall } from './start-call';

export function placeCall(dependencies: Dependencies): Handler<'placeCall'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const messages = { request, Request: PlaceCallRequest, Response: PlaceCallResponse };
    return answerOnce(dependencies, context, messages, {
      act: (keeping) => {
        const wanted = readCallRequest(request, {
          country: dependencies.phoneCountry,
          areaCode: caller.areaCode,
        });
        return startCall(dependencies, { caller, wanted, keeping });
      },
      answer: ({ id }: NewCall) =>
        PlaceCallResponse.fromPartial({ status: 'success', id, message: 'The call is being placed.' }),
    });
  };
}
