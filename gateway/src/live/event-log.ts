import { unavailable } from '@sabia/service-kit/errors';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { liveStream } from '@sabia/service-kit/events/nats/topology';
import { createSingleFlight } from '@sabia/service-kit/work/single-flight';
import { NatsError } from 'nats';
import type { JetStreamManager } from 'nats';
import { createConcurrencyLimit } from '../limits/concurrency-limit';

export interface LogState {
  incarnation: string;
  /** The oldest sequence that is kept. */
  first: number;
  last: number;
}

export interface StoredMessage {
  sequence: number;
  data: Uint8Array;
}

/** The stored events of all accounts. Reads come from the leader of the stream, so nothing that was acknowledged is missing in them. */
export interface EventLog {
  state(): Promise<LogState>;
  /** The first message of the account at this sequence or later. */
  next(accountId: number, sequence: number): Promise<StoredMessage | undefined>;
}

/** When thousands of clients come back at once, their reads take turns. */
const READS_AT_A_TIME = 32;
const STREAM_NOT_FOUND = 10059;
const NOTHING_FOUND = 10037;

export function createEventLog(nats: Nats): EventLog {
  const shared = createSingleFlight<'state', LogState>();
  const enterPlace = createConcurrencyLimit(READS_AT_A_TIME);

  async function manage<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    if (!nats.connected) {
      throw unavailable('Live events are temporarily unavailable.');
    }
    const connection = await nats.connection();
    try {
      return await work(await connection.jetstreamManager({ checkAPI: false }));
    } catch (error) {
      if (codeOf(error) === STREAM_NOT_FOUND) {
        await ensureStreams(connection, nats.streamReplicas);
      }
      throw unavailable('Live events are temporarily unavailable.', 1, error);
    }
  }

  return {
    state: () =>
      shared.run('state', () =>
        manage(async (manager) => {
          const { created, state } = await manager.streams.info(liveStream);
          return { incarnation: Date.parse(created).toString(36), first: state.first_seq, last: state.last_seq };
        }),
      ),

    async next(accountId, sequence) {
      const leavePlace = await enterPlace('');
      try {
        return await manage(async (manager) => {
          try {
            const query = { seq: sequence, next_by_subj: `sabia-live.${accountId}.>` };
            const { seq, data } = await manager.streams.getMessage(liveStream, query);
            return { sequence: seq, data };
          } catch (error) {
            if (codeOf(error) === NOTHING_FOUND) {
              return undefined;
            }
            throw error;
          }
        });
      } finally {
        leavePlace();
      }
    },
  };
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;
