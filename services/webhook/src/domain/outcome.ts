import { writeReason } from './reason';
import { nextWaitMs } from './retry-schedule';

/** The result of one POST: a response, or the reason why there is none. */
export interface Attempt {
  at: Date;
  latencyMs: number;
  status?: number;
  /** The first KiB of the response. */
  answer?: string;
  error?: string;
  retryAfterMs?: number;
  /** The headers of the request, names and values alternating. */
  headers?: readonly string[];
}

export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'dead';

export interface Outcome {
  status: Exclude<DeliveryStatus, 'pending'>;
  /** Set when the delivery is to be tried again. */
  dueAt?: Date;
  reason?: string;
  /** The receiver wants no further webhooks at all. */
  gone: boolean;
}

const goneStatus = 410;

export const isSuccess = ({ status }: Attempt): boolean => status !== undefined && status >= 200 && status < 300;

const tooManyRequests = 429;

/** A failure of the receiver as such. A receiver that answers 400 works. */
export const isFault = ({ status }: Attempt): boolean =>
  status === undefined || status === tooManyRequests || status >= 500;

export interface Standing {
  /** Failed attempts before this one. */
  failures: number;
  /** A sample is sent once: the user is waiting for the result. */
  test: boolean;
}

/** pending → delivered, retrying or dead; retrying → the same. Only a replay makes a delivered or dead one pending again. */
export function judge(
  attempt: Attempt,
  { failures, test }: Standing,
  now: Date,
  random: () => number = Math.random,
): Outcome {
  if (isSuccess(attempt)) {
    return { status: 'delivered', gone: false };
  }
  const failure = describeFailure(attempt);
  if (attempt.status === goneStatus) {
    return { status: 'dead', reason: writeReason('RECEIVER_GONE'), gone: !test };
  }
  const waitMs = test ? undefined : nextWaitMs(failures + 1, attempt.retryAfterMs, random);
  if (waitMs === undefined) {
    return {
      status: 'dead',
      reason: test ? failure : writeReason('GIVEN_UP', { attempts: failures + 1, cause: failure }),
      gone: false,
    };
  }
  return { status: 'retrying', dueAt: new Date(now.getTime() + waitMs), reason: failure, gone: false };
}

export function describeFailure({ status, error }: Pick<Attempt, 'status' | 'error'>): string {
  return error ?? writeReason('RECEIVER_REFUSED', { status: status ?? 0 });
}
