import type { RawData, WebSocket } from 'ws';
import type { EnterLane } from '../lanes';
import { claimIn, verdictIn } from './sip-claim';
import type { GuessLimit } from './guess-limit';

export interface SipRelayOptions {
  client: WebSocket;
  asterisk: WebSocket;
  /** Of the client, as it is counted. */
  address: string;
  limit: GuessLimit;
  /** Of attempts whose answer is awaited, by address. */
  enterLane: EnterLane;
}

const ANSWER_MS = 5_000;
/** Of what one side has not taken yet. */
const MOST_BUFFERED = 1_048_576;
const NOT_ALLOWED = 1008;

/**
 * Passes messages between a web phone and Asterisk. One with a password is passed on only if its sender may still try, and
 * what the sender says next waits for its answer: guesses sent all at once are no more than guesses sent one by one. Whoever
 * may not is disconnected, and comes back by itself if it is a web phone.
 */
export function relaySip({ client, asterisk, address, limit, enterLane }: SipRelayOptions): void {
  /** Attempts without an answer, by transaction. */
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
    const leave = await enterLane(address);
    try {
      if (await limit.refuses({ address, extension })) return client.close(NOT_ALLOWED);
      if (client.readyState !== client.OPEN) return;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          pending.delete(transaction);
          // An attempt whose answer was not recognised must not be one that costs nothing.
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
      leave();
    }
  }

  /** Counted before the sender's next message is looked at. */
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
    // Whoever leaves before the answer has made the attempt all the same.
    for (const { extension, answered } of pending.values()) void limit.failed({ address, extension }).finally(answered);
    pending.clear();
    asterisk.close();
  });
}

/** Byte by byte, so that nothing that Asterisk would read is lost in decoding. */
function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('latin1');
}
