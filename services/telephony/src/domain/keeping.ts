import type { IdempotencyClaim } from '@sabia/service-kit/idempotency';

/** A key that is to be kept together with an effect, and what a repetition will be answered. */
export interface Keeping<Result> extends IdempotencyClaim {
  /** The response message, encoded. */
  answer: (result: Result) => Uint8Array;
}
