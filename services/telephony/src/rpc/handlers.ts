import type { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Dependencies } from './dependencies';
import { dial } from './dial';
import { getCall } from './get-call';
import { getCallTimeline } from './get-call-timeline';
import { getRecording } from './get-recording';
import { hangUp } from './hang-up';
import { listCalls } from './list-calls';
import { placeCall } from './place-call';

/** The rpcs that are furnished, one file each. Whatever is missing here answers UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<TelephonyServiceService> {
  return {
    dial: dial(dependencies),
    getCall: getCall(dependencies),
    getCallTimeline: getCallTimeline(dependencies),
    getRecording: getRecording(dependencies),
    hangUp: hangUp(dependencies),
    listCalls: listCalls(dependencies),
    placeCall: placeCall(dependencies),
  };
}
