import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { hasTrouble } from '../domain/circuit';
import type { Outcome } from '../domain/outcome';
import { writeReason } from '../domain/reason';
import type { Receiver } from '../domain/receiver';
import type { SecretVault } from '../domain/secret-vault';
import { claimDeliveries } from '../storage/claims';
import type { Claim } from '../storage/claims';
import { findReceiversById } from '../storage/receivers';
import type { Dispatcher } from './dispatcher';
import type { Held } from './lane';
import type { ReceiverLanes } from './receiver-lanes';
import type { Recorder } from './recorder';
import { openTargets } from './target';

export interface ClaimerOptions {
  database: Queryable;
  /** The lease token of claimed deliveries. */
  claimant: string;
  leaseMs: number;
  lanes: ReceiverLanes;
  dispatcher: Dispatcher;
  recorder: Pick<Recorder, 'record'>;
  vault: SecretVault;
  log: Logger;
  now: () => Date;
}

const largestClaim = 2_048;

/** One round of claiming: takes due deliveries out of the table into the lanes. Answers true when there may be more. */
export function createClaimer(options: ClaimerOptions): () => Promise<boolean> {
  const { database, claimant, leaseMs, lanes, dispatcher, recorder, vault, log, now } = options;

  /** Queues what can be sent. A delivery whose webhook is deleted or disabled ends here, without a request. */
  function take(claims: Claim[], receivers: Receiver[], heldAt: number): void {
    const receiversById = new Map(receivers.map((receiver) => [receiver.integrationId, receiver]));
    const targets = openTargets(receivers, { vault, log, now: now() });
    const items: Held[] = [];
    for (const { attemptCount, ...claim } of claims) {
      const receiver = receiversById.get(claim.integrationId);
      if (receiver === undefined || lanes.holds(claim.id)) {
        continue;
      }
      const pointless = whyPointless(receiver, claim.test);
      const target = targets.get(claim.integrationId);
      if (pointless !== undefined) {
        lanes.hold(claim);
        recorder.record({ troubled: false, claimed: true, ...claim }, receiver.accountId, pointless);
      } else if (target !== undefined) {
        lanes.of(claim.integrationId).faults = receiver.consecutiveFailures;
        const first = attemptCount === 0;
        items.push({ first, troubled: hasTrouble(receiver), claimed: true, target, heldAt, ...claim });
      }
    }
    dispatcher.take(items);
  }

  return async () => {
    if (dispatcher.isFull) {
      return false;
    }
    const rooms = lanes.rooms();
    const claimedAt = performance.now();
    const at = now();
    const claims = await claimDeliveries(database, {
      now: at,
      leaseUntil: new Date(at.getTime() + leaseMs),
      owner: claimant,
      limit: largestClaim,
      rooms,
    });
    lanes.onClaimed(rooms, claims);
    if (claims.length > 0) {
      const receivers = await findReceiversById(database, [...new Set(claims.map((claim) => claim.integrationId))]);
      take(claims, receivers, claimedAt);
    }
    return claims.length === largestClaim;
  };
}

function whyPointless({ settings, disabledReason }: Receiver, test: boolean): Outcome | undefined {
  if (settings === null) {
    return { status: 'dead', reason: writeReason('WEBHOOK_REMOVED'), gone: false };
  }
  return disabledReason !== null && !test
    ? { status: 'dead', reason: writeReason('DISABLED_MEANWHILE', { cause: disabledReason }), gone: false }
    : undefined;
}
