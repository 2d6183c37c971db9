import type { Call } from './call';
import { captured, isDialledByCaller, messagesByLeg, missing } from './captured-ladder';
import type { LegParty } from './captured-ladder';
import { createLegLadder } from './ladder-leg';
import type { InferredEntry, LadderEntry } from './ladder-leg';
import type { LegMessages, SipMessage } from './sip-message';
import { statusOfCause } from './sip-status';
import type { TimelineEntry } from './timeline';

export type { LadderEntry } from './ladder-leg';

interface LegDetail {
  endpoint?: string;
  attempt?: number;
  /** That takes a leg over. */
  extension?: string;
  /** The status of the final response, which the switch reports with the end of a leg. */
  sipStatus?: number;
  /** Q.850. */
  cause?: number;
}

/** Q.850's "requested channel unavailable": the switch has ended a leg that sent no audio. */
const SILENT_LEG = 44;

/**
 * The SIP messages of both legs, in order of time: those that were captured, and where some were not, those that follow from the
 * states of the channels, which say so.
 */
export function ladderOf(call: Call, noted: TimelineEntry[], rows: LegMessages[] = []): LadderEntry[] {
  const notes = noted.filter(({ kind }) => kind === 'leg');
  const real: LadderEntry[] = [];
  const known = new Map<string, SipMessage[]>();
  for (const [leg, messages] of messagesByLeg(rows)) {
    const entries = captured(messages, partyOf(call, notes, { leg, messages }));
    real.push(...entries);
    // Messages that are not shown take no inferred message's place.
    if (entries.length > 0) known.set(leg, messages);
  }
  const { caller, callee } = inferredOf(call, notes);
  const attempts = [...new Set(callee.map(({ attempt }) => attempt))];
  const rest = [
    ...missing(caller, known.get('a') ?? []),
    ...attempts.flatMap((attempt = 0) =>
      missing(
        callee.filter((entry) => (entry.attempt ?? 0) === attempt),
        known.get(`b${attempt}`) ?? [],
      ),
    ),
  ];
  return [...real, ...rest].sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** The notes of a leg are written when it is called, which is shortly before or after its first message. */
const CALLED_MS = 1_000;

function partyOf(call: Call, notes: TimelineEntry[], { leg: name, messages: [first] }: LegMessages): LegParty {
  const ofCaller = name.startsWith('a');
  const leg = ofCaller === (call.type === 'inbound') ? 'destination' : 'extension';
  const taker = notes.findLast(
    ({ at, detail }) =>
      at.getTime() < (first?.at ?? 0) + CALLED_MS && (detail as LegDetail | null)?.extension !== undefined,
  );
  const { extension } = (taker?.detail ?? {}) as LegDetail;
  if (ofCaller) {
    return name === 'a'
      ? { leg, party: call.from, invited: !isDialledByCaller(call) }
      : { leg, party: extension ?? call.from, invited: true };
  }
  const attempt = Number(name.slice(1));
  const called = notes.find(({ detail }) => (detail as LegDetail | null)?.attempt === attempt);
  const { endpoint } = (called?.detail ?? {}) as LegDetail;
  return { leg, party: endpoint?.replace(/^PJSIP\//, '') ?? extension ?? call.to, attempt, invited: true };
}

/**
 * Asterisk reports states of channels and, at the end of a leg, the status of the final response; the messages in between follow from
 * the states. A call without leg entries was on no SIP switch: nothing is known of it.
 */
function inferredOf(call: Call, notes: TimelineEntry[]): { caller: InferredEntry[]; callee: InferredEntry[] } {
  if (notes.length === 0) {
    return { caller: [], callee: [] };
  }
  const isInbound = call.type === 'inbound';
  const callerDials = isDialledByCaller(call);
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
  return { caller: caller.entries, callee: callee.entries };
}
