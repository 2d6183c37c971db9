import { randomUUID } from 'node:crypto';
import { DialRequest, DialResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { readCallRequest } from '../domain/call-request';
import type { Dependencies, Handler } from './dependencies';
import { requestCall } from './request-call';

/** Responds with a dial id: GetCall and HangUp take it, but it is not the id in the list of calls. */
export function dial(dependencies: Dependencies): Handler<'dial'> {
  const { phoneCountry: country } = dependencies;
  return (request, context) =>
    requestCall(dependencies, context, {
      request,
      codecs: { request: DialRequest, response: DialResponse },
      read({ areaCode }, isInternal) {
        const { extension, phone: called, metadata } = request;
        const reading = { country, areaCode, calledField: 'phone', isInternal };
        return readCallRequest({ extension, called, metadata }, reading);
      },
      called: request.phone,
      dialId: randomUUID(),
      respond: ({ dialId }) => DialResponse.fromPartial({ id: dialId!, message: 'successfull' }),
    });
}
