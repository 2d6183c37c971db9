import type { ReceivedEvent } from './delivery';

/** An event that the handler of a batch leaves unhandled: it comes again after the delay. The rest of the batch commits. */
export interface PutOff {
  event: ReceivedEvent;
  delayMs: number;
}

/** Thrown by a handler to be called again after the delay, as often as it likes: it does not count as a failed try. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, cause?: unknown) {
    super(`to be tried again in ${delayMs} ms`, cause === undefined ? undefined : { cause });
    this.delayMs = delayMs;
  }
}
