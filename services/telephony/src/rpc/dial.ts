import { DialRequest, DialResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { readCallRequest } from '../domain/call-request';
import { newDialId } from '../storage/dial-ids';
import type { Dependencies, Handler } from './dependencies';
import { requestCall } from './request-call';

/** Responds with a dial id: GetCall and HangUp take it, but it is not the id in the list of calls. */
export function dial(dependencies: Dependencies): Handler<'dial'> {
  const { phoneCountry: country, now } = dependencies;
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
      dialId: newDialId(now()),
      respond: ({ dialId }) => DialResponse.fromPartial({ id: dialId!, message: 'successfull' }),
    });
}
