import { credentials } from '@grpc/grpc-js';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import { BillingServiceClient } from '@sabia/protos/sabia/billing/v1/service';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import { newEventId, outgoingEvent } from '@sabia/service-kit/events/outbox';
import { Pool } from 'pg';
import { grantCredit } from './credit';
import type { Job, Sample } from './load';
import { openRatedCalls } from './rated-calls';
import type { BenchStack } from './stack';
import { publishThroughOutbox } from './telephony-outbox';

export interface RatingLoad {
  /** So many ends of calls wait on NATS when the clock starts; it stops when every price is on the record of its call. */
  drain(count: number, onStart?: () => void): Promise<Sample>;
  /** A new call asks for its credit. */
  reserve: Job;
  close(): Promise<void>;
}

const { callEnded } = telephonyEvents;

/** Far above the accounts of identity, which begin at 1. */
const firstAccount = 900_000_000;
const accounts = 50;
/** Less than the credit that calls hold, and begun when the stack had its rates: for a call without one billing logs a warning. */
const talkedSeconds = 1;
const destination = '5511987654321';

export async function openRatingLoad(stack: BenchStack): Promise<RatingLoad> {
  const rated = await openRatedCalls(stack);
  const database = new Pool({ connectionString: stack.postgresUrl, max: 2 });
  const billing = new BillingServiceClient(stack.grpcOf('billing'), credentials.createInsecure());
  const accountOf = (nth: number): number => firstAccount + (nth % accounts);

  const owners = Array.from({ length: accounts }, (_, nth) => accountOf(nth));
  await grantCredit(stack.grpcOf('billing'), owners, 'bench');

  /** Calls as they are at their end: a record without a price, and credit that is held. */
  async function prepareCalls(ids: string[]): Promise<void> {
    const owners = ids.map((_, nth) => accountOf(nth));
    await database.query(
      `INSERT INTO telephony.calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at,
         answered_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, metadata, record)
       SELECT id, account_id, 1, 'bench', 'America/Sao_Paulo', 'outbound', 'ended', '1000', $3, now(), now(), now(), ${talkedSeconds},
         'NORMAL_CLEARING', '16', 'a@b.c', 'A', 'B', '{}', false
       FROM unnest($1::uuid[], $2::bigint[]) AS call (id, account_id)`,
      [ids, owners, destination],
    );
    await database.query(
      `WITH held AS (
         INSERT INTO billing.reservations (call_id, account_id, destination, state, minute_price, minimum_seconds, increment_seconds,
           amount, seconds, created_at, expires_at)
         SELECT id, account_id, $3, 'open', 0.11, 30, 6, 0.11, 60, now(), now() + interval '1 hour'
         FROM unnest($1::uuid[], $2::bigint[]) AS call (id, account_id)
         RETURNING account_id, amount
       )
       UPDATE billing.balances b SET reserved = b.reserved + h.amount
       FROM (SELECT account_id, sum(amount) AS amount FROM held GROUP BY account_id) h WHERE h.account_id = b.account_id`,
      [ids, owners, destination],
    );
  }

  async function publishEnds(ids: string[]): Promise<void> {
    const endedAt = new Date();
    const [startedAt, answeredAt] = [talkedSeconds + 1, talkedSeconds].map(
      (seconds) => new Date(endedAt.getTime() - seconds * 1000),
    );
    const events = ids.map((callId, nth) => {
      const call = { callId, callType: 'outbound', to: destination, durationSeconds: talkedSeconds };
      const message = CallEnded.fromPartial({
        call: { ...call, startedAt, answeredAt, endedAt, hangupCause: 'NORMAL_CLEARING' },
      });
      return outgoingEvent(callEnded, message, { accountId: accountOf(nth), occurredAt: endedAt });
    });
    await publishThroughOutbox(database, events);
  }

  return {
    async drain(count, onStart) {
      const untilRated = rated.count();
      const ids = Array.from({ length: count }, () => newEventId());
      await prepareCalls(ids);
      stack.signal('billing', 'SIGSTOP');
      try {
        await publishEnds(ids);
      } finally {
        stack.signal('billing', 'SIGCONT');
      }
      onStart?.();
      const startedAt = performance.now();
      await untilRated(count);
      const perSecond = count / ((performance.now() - startedAt) / 1000);
      return { count, perSecond, p50: Number.NaN, p99: Number.NaN, errors: [] };
    },
    reserve: () =>
      new Promise((resolve, reject) => {
        const accountId = accountOf(Math.floor(Math.random() * accounts));
        billing.reserveCredit({ callId: newEventId(), accountId, destination }, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
    async close() {
      billing.close();
      await rated.close();
      await database.end();
    },
  };
}
