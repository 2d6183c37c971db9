import type { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Dependencies } from './dependencies';
import { dial } from './dial';
import { endRegistration } from './end-registration';
import { exportCalls } from './export-calls';
import { getCall } from './get-call';
import { getCallLadder } from './get-call-ladder';
import { getCallMoney } from './get-call-money';
import { getCallTimeline } from './get-call-timeline';
import { getLiveCall } from './get-live-call';
import { getNumberProof } from './get-number-proof';
import { getRecording } from './get-recording';
import { getRecordingLink } from './get-recording-link';
import { getRegistration } from './get-registration';
import { hangUp } from './hang-up';
import { leaveCall } from './leave-call';
import { listCallDeliveries } from './list-call-deliveries';
import { listCalls } from './list-calls';
import { listLiveCalls } from './list-live-calls';
import { listSwitches } from './list-switches';
import { listTrunks } from './list-trunks';
import { placeCall } from './place-call';
import { setSwitchState } from './set-switch-state';
import { startNumberProof } from './start-number-proof';
import { tryConstraint } from './try-constraint';
import { summarizeCalls } from './summarize-calls';
import { transferCall } from './transfer-call';

/** One file per rpc. An rpc that is missing here responds with UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<TelephonyServiceService> {
  return {
    dial: dial(dependencies),
    endRegistration: endRegistration(dependencies),
    exportCalls: exportCalls(dependencies),
    getCall: getCall(dependencies),
    getCallLadder: getCallLadder(dependencies),
    getCallMoney: getCallMoney(dependencies),
    getCallTimeline: getCallTimeline(dependencies),
    getLiveCall: getLiveCall(dependencies),
    getNumberProof: getNumberProof(dependencies),
    getRecording: getRecording(dependencies),
    getRecordingLink: getRecordingLink(dependencies),
    getRegistration: getRegistration(dependencies),
    hangUp: hangUp(dependencies),
    leaveCall: leaveCall(dependencies),
    listCallDeliveries: listCallDeliveries(dependencies),
    listCalls: listCalls(dependencies),
    listLiveCalls: listLiveCalls(dependencies),
    listSwitches: listSwitches(dependencies),
    listTrunks: listTrunks(dependencies),
    placeCall: placeCall(dependencies),
    setSwitchState: setSwitchState(dependencies),
    startNumberProof: startNumberProof(dependencies),
    tryConstraint: tryConstraint(dependencies),
    summarizeCalls: summarizeCalls(dependencies),
    transferCall: transferCall(dependencies),
  };
}
