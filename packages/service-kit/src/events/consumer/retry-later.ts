import type { ReceivedEvent } from './delivery';

/** An event that a batch handler has not handled: it is delivered again after the delay. The rest of the batch commits. */
export interface PutOff {
  event: ReceivedEvent;
  delayMs: number;
}

/** Thrown by a handler to be called again after the delay. Does not count as a failed try, however often it is thrown. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, cause?: unknown) {
    super(`to be tried again in ${delayMs} ms`, cause === undefined ? undefined : { cause });
    this.delayMs = delayMs;
  }
}
