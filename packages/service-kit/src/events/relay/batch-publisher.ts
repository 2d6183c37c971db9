import { createInbox } from 'nats';
import type { MsgHdrs, NatsConnection } from 'nats';
import type { Nats } from '../nats/connection';

export interface Publication {
  subject: string;
  data: Uint8Array;
  headers: MsgHdrs;
}

export interface BatchPublisher {
  /** Publishes the whole batch; returns for each message why it was not stored, undefined if it was. */
  publish(batch: Publication[]): Promise<(string | undefined)[]>;
  close(): void;
}

interface Waiting {
  number: number;
  outcomes: (string | undefined)[];
  open: number;
  settle: () => void;
}

const unanswered = 'no answer from JetStream';

/**
 * Publishes to JetStream with one subscription for all acknowledgements and one timer per batch, several times cheaper than one
 * request per message. A whole batch is handed to the connection at once: if the connection breaks, the server has received
 * the beginning of the batch and nothing after a gap, so that publishing the rest again keeps the order.
 */
export function createBatchPublisher(nats: Nats, connection: NatsConnection, timeoutMs: number): BatchPublisher {
  const inbox = createInbox();
  let number = 0;
  let waiting: Waiting | undefined;

  const subscription = connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      const token = message.subject.slice(inbox.length + 1);
      const [batchNumber, index] = token.split('-').map(Number) as [number, number];
      if (error !== null || waiting?.number !== batchNumber || waiting.outcomes[index] !== unanswered) {
        return;
      }
      waiting.outcomes[index] = refusal(message.headers, message.data);
      waiting.open--;
      if (waiting.open === 0) {
        waiting.settle();
      }
    },
  });
  // Messages sent before the connection broke are never acknowledged.
  const unfollow = nats.onStatus((connected) => {
    if (!connected) {
      waiting?.settle();
    }
  });

  return {
    async publish(batch) {
      if (!nats.connected) {
        return batch.map(() => 'NATS is away');
      }
      number++;
      const outcomes = batch.map((): string | undefined => unanswered);
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<void>((resolve) => {
        waiting = { number, outcomes, open: batch.length, settle: resolve };
        timer = setTimeout(resolve, timeoutMs);
      });
      try {
        batch.forEach(({ subject, data, headers }, index) => {
          connection.publish(subject, data, { headers, reply: `${inbox}.${number}-${index}` });
        });
        await answered;
      } finally {
        clearTimeout(timer);
        waiting = undefined;
      }
      return outcomes;
    },
    close() {
      unfollow();
      subscription.unsubscribe();
    },
  };
}

/** Undefined for an acknowledgement, otherwise the reason of the refusal. */
export function refusal(headers: MsgHdrs | undefined, data: Uint8Array): string | undefined {
  if (headers !== undefined && headers.code >= 300) {
    return headers.code === 503 ? 'no stream takes the subject' : `${headers.code} ${headers.description}`;
  }
  try {
    const answer = JSON.parse(Buffer.from(data).toString()) as {
      seq?: number;
      error?: { code: number; description: string };
    };
    if (answer.error !== undefined) {
      return `${answer.error.code} ${answer.error.description}`;
    }
    return answer.seq === undefined ? 'unexpected answer' : undefined;
  } catch {
    return 'unexpected answer';
  }
}
