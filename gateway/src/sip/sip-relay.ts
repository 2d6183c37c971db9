import type { RawData, WebSocket } from 'ws';
import type { EnterPlace } from '../limits/concurrency-limit';
import { claimIn, verdictIn } from './sip-claim';
import type { GuessLimit } from './guess-limit';

export interface SipRelayOptions {
  client: WebSocket;
  asterisk: WebSocket;
  /** The counted address of the client. */
  address: string;
  limit: GuessLimit;
  /** Limits the attempts of an address that await their answer. */
  enterPlace: EnterPlace;
}

const ANSWER_MS = 5_000;
/** Bytes that one side has not taken yet. */
const MOST_BUFFERED = 1_048_576;
const NOT_ALLOWED = 1008;

/**
 * Passes messages between a web phone and Asterisk. A message with credentials is passed on only if its sender may still try,
 * and the sender's next message waits for the response, so that guesses sent all at once gain nothing over guesses sent one by
 * one. A sender that may not try is disconnected; a web phone reconnects by itself.
 */
export function relaySip({ client, asterisk, address, limit, enterPlace }: SipRelayOptions): void {
  /** Attempts without a response, by transaction. */
  const pending = new Map<string, { extension: string; answered: () => void }>();
  let turn = Promise.resolve();
  let waiting = 0;

  const pass = (to: WebSocket, data: RawData, isBinary: boolean): void => {
    if (to.bufferedAmount > MOST_BUFFERED) to.terminate();
    else to.send(data, { binary: isBinary });
  };

  async function forward(data: RawData, isBinary: boolean): Promise<void> {
    const claim = claimIn(textOf(data));
    if (claim === undefined) return pass(asterisk, data, isBinary);
    if (claim === 'ambiguous' || pending.has(claim.transaction)) return client.close(NOT_ALLOWED);
    const { extension, transaction } = claim;
    const leavePlace = await enterPlace(address);
    try {
      if (await limit.refuses({ address, extension })) return client.close(NOT_ALLOWED);
      if (client.readyState !== client.OPEN) return;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          pending.delete(transaction);
          // An attempt whose response was not recognised must count, or it would be free.
          limit.failed({ address, extension }).then(resolve, reject);
        }, ANSWER_MS);
        const answered = (): void => {
          clearTimeout(timer);
          resolve();
        };
        pending.set(transaction, { extension, answered });
        pass(asterisk, data, isBinary);
      });
    } finally {
      leavePlace();
    }
  }

  /** Counts the outcome before the sender's next message is read. */
  async function judge(text: string): Promise<void> {
    const verdict = verdictIn(text);
    const attempt = verdict && pending.get(verdict.transaction);
    if (verdict === undefined || attempt === undefined) return;
    pending.delete(verdict.transaction);
    const guess = { address, extension: attempt.extension };
    if (verdict.outcome === 'refused') await limit.failed(guess);
    else if (verdict.outcome === 'proven') await limit.succeeded(guess);
    attempt.answered();
  }

  client.on('message', (data, isBinary) => {
    waiting += 1;
    client.pause();
    turn = turn
      .then(() => forward(data, isBinary))
      .catch(() => client.terminate())
      .then(() => {
        waiting -= 1;
        if (waiting === 0) client.resume();
      });
  });
  asterisk.on('message', (data, isBinary) => {
    pass(client, data, isBinary);
    judge(textOf(data)).catch(() => client.terminate());
  });
  client.on('error', () => client.terminate());
  asterisk.on('close', () => {
    for (const { answered } of pending.values()) answered();
    pending.clear();
    client.close();
  });
  client.on('close', () => {
    // An attempt counts even if the client leaves before the response.
    for (const { extension, answered } of pending.values()) void limit.failed({ address, extension }).finally(answered);
    pending.clear();
    asterisk.close();
  });
}

/** Decodes byte by byte, so that nothing that Asterisk would read is lost. */
function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('latin1');
}
