import type { AriChannel } from '../ari-types';
import { callOfChannel } from '../call-legs';
import type { KnownLeg } from './message-book';

export type LegTeller = ReturnType<typeof createLegTeller>;

interface Channel {
  sipCallId?: string;
  callId?: string;
  isTold: boolean;
}

/** Legs are told together, so that many calls cost no more messages than a few. */
const GATHER_MS = 100;
/** NATS refuses a message of more than 1 MiB. */
const MOST_TOGETHER = 500;
const MOST_CHANNELS = 100_000;
/** The id of a call and a hyphen stand before the name of the leg. */
const PREFIX = 37;

/** Tells which SIP dialogue is which leg of which call: once when that is known, and once more at the end of the leg. */
export function createLegTeller(tell: (legs: KnownLeg[]) => void) {
  const channels = new Map<string, Channel>();
  let gathered: KnownLeg[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const telling = gathered;
    gathered = [];
    for (let first = 0; first < telling.length; first += MOST_TOGETHER) {
      tell(telling.slice(first, first + MOST_TOGETHER));
    }
  }

  function update(id: string, news: Partial<Channel>, gone = false): void {
    const channel: Channel = { isTold: false, ...channels.get(id), ...news };
    const { sipCallId, callId, isTold } = channel;
    if (sipCallId !== undefined && callId !== undefined && (!isTold || gone)) {
      const isOwn = callOfChannel(id) !== undefined;
      gathered.push({ sipCallId, callId, leg: isOwn ? id.slice(PREFIX) : 'a', gone });
      timer ??= setTimeout(flush, GATHER_MS);
      channel.isTold = true;
    }
    if (gone) channels.delete(id);
    else {
      if (channels.size >= MOST_CHANNELS) channels.clear();
      channels.set(id, channel);
    }
  }

  return {
    /** A channel of an event or of a list. */
    see({ id, protocol_id: sipCallId }: AriChannel, { gone = false } = {}): void {
      if (sipCallId === undefined || sipCallId === '') return;
      const callId = callOfChannel(id);
      update(id, { sipCallId, ...(callId !== undefined && { callId }) }, gone);
    },
    /** A channel that began a call on the switch, so that its name does not tell the call. */
    belongs(id: string, callId: string): void {
      update(id, { callId });
    },
    flush,
  };
}
