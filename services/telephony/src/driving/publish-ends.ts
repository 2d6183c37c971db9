import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import type { RecordingUrls } from '../domain/recording-url';
import { callEnded } from '../events/published';
import { linksOf } from '../recordings/links';

export interface EndedCalls {
  calls: Call[];
  /** The ids of those that have a recording. */
  recorded: Set<string>;
  urls: Pick<RecordingUrls, 'urlOf'>;
  /** They were published when the calls ended, and a service lacks their effect. */
  again?: boolean;
}

/** Publishes the ends of calls, with the links of their recordings. */
export async function publishEnds(
  tx: Transaction,
  outbox: Outbox,
  { calls, recorded, urls, again = false }: EndedCalls,
): Promise<void> {
  const links = await linksOf(
    tx,
    urls,
    calls.filter(({ id }) => recorded.has(id)),
  );
  await outbox.write(
    tx,
    calls.map((call) => ({ ...callEnded(call, links.get(call.id)), servicesOnly: again })),
  );
}
