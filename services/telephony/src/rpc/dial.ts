import { randomUUID } from 'node:crypto';
import { DialRequest, DialResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { NewCall } from '../domain/call';
import { readCallRequest } from '../domain/call-request';
import { answerOnce } from './answer-once';
import type { Dependencies, Handler } from './dependencies';
import { startCall } from './start-call';

/** Answers an id of its own, under which the call is found and ended; it is not the one in the list of calls. */
export function dial(dependencies: Dependencies): Handler<'dial'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const messages = { request, Request: DialRequest, Response: DialResponse };
    return answerOnce(dependencies, context, messages, {
      act: (keeping) => {
        const { extension, phone, metadata } = request;
        const options = {
          country: dependencies.phoneCountry,
          areaCode: caller.areaCode,
          calledField: 'phone',
        };
        const wanted = readCallRequest({ extension, called: phone, metadata }, options);
        return startCall(dependencies, { caller, wanted, keeping, dialId: randomUUID() });
      },
      answer: ({ dialId }: NewCall) => DialResponse.fromPartial({ id: dialId!, message: 'successfull' }),
    });
  };
}
