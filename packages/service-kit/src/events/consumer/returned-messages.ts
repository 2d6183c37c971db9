import { createInbox } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { createWakeup } from '../../work/wakeup';
import { eventStream } from '../nats/topology';
import { readAckSubject } from './delivery';
import { nextSubject, readStatus } from './puller';

const mostAtOnce = 256;
/** Messages that JetStream has at hand come without such a pause. */
const silenceMs = 250;

/**
 * What another replica was given and has returned, in the order of the stream. JetStream delivers it again before any other message, but
 * in the order in which it came back.
 */
export async function pullReturned(connection: NatsConnection, durable: string, signal: AbortSignal): Promise<Msg[]> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const { num_ack_pending: unsettled } = await manager.consumers.info(eventStream, durable);
  const messages: Msg[] = [];
  // Some of them wait for a retry, or for a replica that was killed: the first new message says that there is nothing more at hand.
  for (let isMore = unsettled > 0; isMore && !signal.aborted;) {
    const further = await fetchAtHand(connection, durable);
    messages.push(...further);
    isMore = further.length > 0 && further.every((message) => factsOf(message).deliveryCount > 1);
  }
  return messages.sort((one, other) => factsOf(one).streamSequence - factsOf(other).streamSequence);
}

const factsOf = ({ reply = '' }: Msg) => readAckSubject(reply);

async function fetchAtHand(connection: NatsConnection, durable: string): Promise<Msg[]> {
  const inbox = createInbox();
  const wakeup = createWakeup();
  const messages: Msg[] = [];
  let isOver = false;
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => {
      if (error === null && readStatus(message) === undefined) messages.push(message);
      else isOver = true;
      if (isOver || messages.length === mostAtOnce) wakeup.poke();
    },
  });
  const request = { batch: mostAtOnce, no_wait: true };
  connection.publish(nextSubject(durable), Buffer.from(JSON.stringify(request)), { reply: inbox });
  for (let before = -1; before < messages.length && messages.length < mostAtOnce && !isOver;) {
    before = messages.length;
    await wakeup.sleep(silenceMs);
  }
  subscription.unsubscribe();
  return messages;
}
