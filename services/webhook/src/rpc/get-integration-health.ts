import { GetIntegrationHealthResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { disablesAt, healthOf } from '../domain/circuit';
import type { Integration } from '../domain/integration';
import { describeFailure } from '../domain/outcome';
import { readHealth } from '../storage/integration-health';
import type { FailedAttempt, HourCounts, ReceiverState } from '../storage/integration-health';
import type { Dependencies, Handler } from './dependencies';
import { requireIntegration, whyOf } from './messages';

const hourMs = 60 * 60 * 1000;
const hoursShown = 24;

export function getIntegrationHealth({ database, now }: Dependencies): Handler<'getIntegrationHealth'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    const integration = await requireIntegration(database, accountId, id);
    const firstHour = Math.floor(now().getTime() / hourMs) - hoursShown + 1;
    const read = await readHealth(database, id, new Date(firstHour * hourMs));
    const { receiver, latencies, lastSuccessAt, lastFailure, unsent } = read;
    const hours = everyHour(firstHour, read.hours);
    const sum = (of: keyof HourCounts): number => hours.reduce((total, hour) => total + hour[of], 0);
    const isDisabled = integration.disabledReason !== null;
    return GetIntegrationHealthResponse.fromPartial({
      health: {
        state: stateOf(integration, receiver),
        delivered: sum('delivered'),
        failed: sum('retrying'),
        dead: sum('dead'),
        pending: sum('pending'),
        latencyP50: latencies.p50 ?? undefined,
        latencyP95: latencies.p95 ?? undefined,
        lastSuccessAt: lastSuccessAt ?? undefined,
        lastFailure: lastFailure && toFailure(lastFailure),
        consecutiveFailures: receiver.consecutiveFailures,
        failingSince: receiver.failingSince ?? undefined,
        pausedUntil: receiver.pausedUntil ?? undefined,
        disablesAt: isDisabled ? undefined : disablesAt(receiver),
        disabledAt: receiver.disabledAt ?? undefined,
        disabledReason: integration.disabledReason ?? undefined,
        disabledWhy: whyOf(integration.disabledReason),
        unsent: unsent.map(({ eventType, count, at, callId, reason }) => ({
          ...{ eventType, count, reason, why: whyOf(reason) },
          ...{ lastAt: at, lastCallId: callId ?? undefined },
        })),
        hours: hours.map(({ hour, retrying, ...counts }) => ({
          ...counts,
          hour: new Date(hour * hourMs),
          failed: retrying,
        })),
      },
    });
  };
}

function stateOf({ settings, disabledReason }: Integration, receiver: ReceiverState): string {
  if (disabledReason !== null) {
    return 'disabled';
  }
  if (settings === null) {
    return 'off';
  }
  const health = healthOf(receiver.consecutiveFailures);
  if (health === 'open') {
    return 'paused';
  }
  // A receiver that answers 400 works, and yet takes nothing.
  return health === 'healthy' && receiver.failingSince !== null ? 'shaky' : health;
}

function everyHour(first: number, counted: HourCounts[]): HourCounts[] {
  const byHour = new Map(counted.map((counts) => [counts.hour, counts]));
  return Array.from({ length: hoursShown }, (_, index) => {
    const hour = first + index;
    return byHour.get(hour) ?? { hour, delivered: 0, retrying: 0, dead: 0, pending: 0 };
  });
}

function toFailure({ deliveryId, at, status, error }: FailedAttempt) {
  const reason = describeFailure({ status: status ?? undefined, error: error ?? undefined });
  return { deliveryId, at, reason, why: whyOf(reason) };
}
