import type { Call } from './call';
import { createLegLadder } from './ladder-leg';
import type { LadderEntry } from './ladder-leg';
import { statusOfCause } from './sip-status';
import type { TimelineEntry } from './timeline';

export type { LadderEntry } from './ladder-leg';

interface LegDetail {
  endpoint?: string;
  attempt?: number;
  /** The status of the final response, which the switch reports with the end of a leg. */
  sipStatus?: number;
  /** Q.850. */
  cause?: number;
}

/** Q.850's "requested channel unavailable": the switch has ended a leg that sent no audio. */
const SILENT_LEG = 44;

/**
 * The SIP messages of both legs, in order of time. Asterisk reports states of channels and, at the end of a leg, the status of the final
 * response; the messages in between follow from the states, and say so. A call without leg entries was on no SIP switch: nothing is known of it.
 */
export function ladderOf(call: Call, noted: TimelineEntry[]): LadderEntry[] {
  const notes = noted.filter(({ kind }) => kind === 'leg');
  if (notes.length === 0) {
    return [];
  }
  const isInbound = call.type === 'inbound';
  // A call that no user of the API placed began with the INVITE of a softphone or of a carrier.
  const callerDials = call.userId === 0;
  const caller = createLegLadder({ leg: isInbound ? 'destination' : 'extension', party: call.from });
  const callee = createLegLadder({ leg: isInbound ? 'extension' : 'destination', party: call.to });

  if (callerDials) {
    caller.receiveInvite(call.startedAt);
  } else {
    caller.sendInvite(call.startedAt);
  }
  const moments = [
    ...notes,
    ...(call.answeredAt === null ? [] : [{ at: call.answeredAt, message: 'destination answered', detail: null }]),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());

  for (const { at, message, detail } of moments) {
    const { endpoint, attempt, sipStatus, cause } = (detail ?? {}) as LegDetail;
    switch (message) {
      case 'caller rings':
        caller.hear(at, 180);
        break;
      case 'caller picked up':
        if (!callerDials) caller.isAnswered(at);
        break;
      case 'caller has gone':
        caller.isGone(at, { sipStatus, byUs: cause === SILENT_LEG });
        break;
      case 'destination is being called':
        callee.sendInvite(at, { party: endpoint?.replace(/^PJSIP\//, ''), attempt });
        break;
      case 'destination rings':
        callee.hear(at, 180);
        if (callerDials) caller.say(at, 180);
        break;
      case 'early audio from the destination':
        callee.hear(at, 183);
        break;
      case 'destination answered':
        callee.isAnswered(at);
        if (callerDials) caller.answer(at);
        break;
      case 'no word from the trunk':
        callee.giveUp(at, message);
        break;
      case 'destination has gone':
        callee.isGone(at, { sipStatus, byUs: cause === SILENT_LEG });
        break;
    }
  }
  if (call.endedAt !== null) {
    const reason = call.hangupCause ?? undefined;
    caller.end(call.endedAt, { reason, status: statusOfCause(call.hangupCause) });
    callee.end(call.endedAt, { reason });
  }
  return [...caller.entries, ...callee.entries].sort((one, other) => one.at.getTime() - other.at.getTime());
}
