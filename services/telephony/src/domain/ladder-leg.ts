import { reasonOf } from './sip-status';

export interface LadderEntry {
  at: Date;
  leg: 'extension' | 'destination';
  direction: 'in' | 'out';
  party: string;
  method?: string;
  status?: number;
  reason?: string;
  attempt?: number;
  /** Of a captured message: number and method, such as "2 INVITE". */
  cseq?: string;
  /** A captured message that was sent before. */
  retransmission?: boolean;
  inferred: boolean;
}

export interface InferredEntry extends LadderEntry {
  /** The method to which a response belongs. */
  answers?: string;
  /** Is there because the leg has ended. */
  ending?: boolean;
}

type Direction = LadderEntry['direction'];
type State = 'none' | 'invited' | 'inviting' | 'up' | 'over';

const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');

/** Keeps the state of one leg, so that what ends it is right: CANCEL or a final response before the answer, BYE after it. */
export function createLegLadder({ leg, party: known }: Pick<LadderEntry, 'leg' | 'party'>) {
  const entries: InferredEntry[] = [];
  let party = known;
  let attempt: number | undefined;
  let state: State = 'none';

  const add = (at: Date, direction: Direction, message: Partial<InferredEntry>): void => {
    entries.push({ at, leg, direction, party, attempt, inferred: true, ...message });
  };
  const request = (at: Date, direction: Direction, method: string, further?: Partial<InferredEntry>): void =>
    add(at, direction, { method, ...further });
  const respond = (at: Date, direction: Direction, status: number, further?: Partial<InferredEntry>): void =>
    add(at, direction, { status, reason: reasonOf(status), answers: 'INVITE', ...further });
  const ending = true;

  function bye(at: Date, direction: Direction, reason?: string): void {
    request(at, direction, 'BYE', { reason, ending });
    respond(at, opposite(direction), 200, { answers: 'BYE', ending });
  }

  function cancel(at: Date, direction: Direction, reason?: string): void {
    request(at, direction, 'CANCEL', { reason, ending });
    respond(at, opposite(direction), 200, { answers: 'CANCEL', ending });
    respond(at, opposite(direction), 487, { ending });
    request(at, direction, 'ACK', { ending });
  }

  return {
    entries,

    sendInvite(at: Date, to: { party?: string; attempt?: number } = {}): void {
      ({ party = known, attempt } = to);
      state = 'inviting';
      request(at, 'out', 'INVITE');
    },

    receiveInvite(at: Date): void {
      state = 'invited';
      request(at, 'in', 'INVITE');
      respond(at, 'out', 100);
    },

    /** A provisional response of the party. */
    hear(at: Date, status: number): void {
      if (state === 'inviting') respond(at, 'in', status);
    },

    /** A provisional response to the party. */
    say(at: Date, status: number): void {
      if (state === 'invited') respond(at, 'out', status);
    },

    isAnswered(at: Date): void {
      if (state !== 'inviting') return;
      state = 'up';
      respond(at, 'in', 200);
      request(at, 'out', 'ACK');
    },

    answer(at: Date): void {
      if (state !== 'invited') return;
      state = 'up';
      respond(at, 'out', 200);
      request(at, 'in', 'ACK');
    },

    /** The leg has ended by itself. The status of a refusal is the one message that the switch reports as such. */
    isGone(at: Date, { sipStatus = 0, byUs }: { sipStatus?: number; byUs: boolean }): void {
      if (state === 'up') bye(at, byUs ? 'out' : 'in');
      else if (state === 'invited') cancel(at, 'in');
      else if (state === 'inviting' && sipStatus >= 300) {
        respond(at, 'in', sipStatus, { inferred: false, ending });
        request(at, 'out', 'ACK', { ending });
      } else if (state === 'inviting') cancel(at, 'out');
      state = 'over';
    },

    giveUp(at: Date, reason: string): void {
      if (state === 'inviting') cancel(at, 'out', reason);
      state = 'over';
    },

    /** The switch ends what is left of the leg. `status`: with which it refuses a party that is still waiting. */
    end(at: Date, { reason, status = 480 }: { reason?: string; status?: number }): void {
      if (state === 'up') bye(at, 'out', reason);
      else if (state === 'inviting') cancel(at, 'out', reason);
      else if (state === 'invited') {
        respond(at, 'out', status, { ending });
        request(at, 'in', 'ACK', { ending });
      }
      state = 'over';
    },
  };
}
