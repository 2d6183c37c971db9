import { LadderDirection, LadderLeg } from '@sabia/protos/sabia/telephony/v1/messages';
import type { LadderEntry } from '@sabia/protos/sabia/telephony/v1/messages';
import { eventually } from '@sabia/testkit/eventually';
import type { Telephony } from '../stage';

/** "extension > INVITE": from the switch to the party; "<" the other way. */
const lineOf = ({ leg, direction, method, status, cseq, retransmission }: LadderEntry): string => {
  const message = method ?? `${status} ${cseq?.replace(/^\d+ /, '')}`;
  const side = leg === LadderLeg.EXTENSION ? 'extension' : 'destination';
  return `${side} ${direction === LadderDirection.OUT ? '>' : '<'} ${message}${retransmission ? ' again' : ''}`;
};

/** The ladder of an ended call once both its legs are captured to the end, a moment after it. */
export async function capturedLadder(telephony: Telephony, id: string) {
  const entries = await eventually(async () => {
    const { entries: found } = await telephony.getCallLadder({ id });
    const inferred = found.filter((entry) => entry.inferred);
    if (found.length === 0 || inferred.length > 0) {
      const [known, missing] = [found, inferred].map((entries) => entries.map(lineOf).join('\n'));
      throw new Error(`not captured so far:\n${missing}\nof the ladder:\n${known}`);
    }
    return found;
  });
  return {
    entries,
    lines: entries.map(lineOf),
    of: (party: string) => entries.filter((entry) => entry.party.includes(party)).map(lineOf),
  };
}
