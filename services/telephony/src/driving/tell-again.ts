import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Billing } from '../clients/billing';
import type { Webhook } from '../clients/webhook';
import type { Call } from '../domain/call';
import type { RecordingUrls } from '../domain/recording-url';
import { listRecorded } from '../storage/recordings';
import { forgetUnsettled, takeUnsettled } from '../storage/unsettled-calls';
import { callEndedId } from '../events/published';
import { publishEnds } from './publish-ends';

export interface TellAgainOptions {
  database: Database;
  outbox: Outbox;
  billing: Pick<Billing, 'tellPricesAgain'>;
  webhook: Pick<Webhook, 'handledEvents'>;
  urls: Pick<RecordingUrls, 'urlOf'>;
  log: Logger;
  now: () => Date;
}

const BATCH = 500;
/** Ids per log message. */
const SHOWN = 20;
/** Well within the eight days for which the inboxes of consumers remember an event. */
const GIVE_UP_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Publishes the end of a call again while it has no effect: a broker that loses acknowledged events leaves a call without a price
 * or without its hangup webhook, and the outbox row is gone. Event ids are derived from the call, so the inbox of a consumer that
 * has seen the event ignores it; accounts are not told again. A round that had to publish anything ends after its batch.
 */
export function createTellAgain(options: TellAgainOptions) {
  const { database, outbox, billing, webhook, urls, log, now } = options;

  /** Returns the calls without a price or without a webhook delivery. */
  async function lookFor(calls: Call[]): Promise<Call[]> {
    const handled = await webhook.handledEvents(calls.map(callEndedId));
    return calls.filter((call) => call.callPrice === null || !handled.has(callEndedId(call)));
  }

  async function tell(calls: Call[]): Promise<void> {
    log.warn(
      { count: calls.length, calls: calls.slice(0, SHOWN).map(({ id }) => id) },
      'ended calls have no price or no hangup webhook yet; publishing their end again',
    );
    await database.transaction(async (tx) => {
      const ids = calls.map(({ id }) => id);
      await publishEnds(tx, outbox, { calls, recorded: await listRecorded(tx, ids), urls, again: true });
    });
    const unpriced = calls.filter(({ callPrice }) => callPrice === null).map(({ id }) => id);
    if (unpriced.length > 0) {
      // Billing may have rated the call long ago, and only its event was lost.
      await billing.tellPricesAgain(unpriced);
    }
  }

  return async (signal?: AbortSignal): Promise<void> => {
    while (signal?.aborted !== true) {
      const calls = await takeUnsettled(database, now(), BATCH);
      const lacking = calls.length === 0 ? [] : await lookFor(calls);
      const giveUpBefore = now().getTime() - GIVE_UP_MS;
      const lost = lacking.filter(({ endedAt }) => endedAt!.getTime() < giveUpBefore);
      if (lost.length > 0) {
        log.error({ calls: lost.map(({ id }) => id) }, 'ended calls without price or hangup webhook are given up');
      }
      const again = new Set(lacking.filter((call) => !lost.includes(call)));
      const done = calls.filter((call) => !again.has(call)).map(({ id }) => id);
      if (done.length > 0) {
        await forgetUnsettled(database, done);
      }
      if (again.size > 0) {
        await tell([...again]);
      }
      if (calls.length < BATCH || again.size > 0) {
        return;
      }
    }
  };
}
