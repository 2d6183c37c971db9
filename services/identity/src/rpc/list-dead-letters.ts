import { ListDeadLettersResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { invalid } from '@sabia/service-kit/errors';
import { listDeadLetters as list } from '@sabia/service-kit/events/consumer/dead-letters';
import type { DeadLetter } from '@sabia/service-kit/events/consumer/dead-letters';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import type { Dependencies, Handler } from './dependencies';

const usualLimit = 100;
const highestLimit = 1_000;

/** Of all services: their dead letters are in one stream. */
export function listDeadLetters({ nats }: Dependencies): Handler<'listDeadLetters'> {
  return async ({ consumer, after = 0, limit = usualLimit }, context) => {
    requireOperator(context);
    if (limit < 1 || limit > highestLimit) {
      const message = `must be a whole number from 1 to ${highestLimit}`;
      throw invalid('dead-letter', [{ field: 'limit', code: 'range', message }]);
    }
    // A subject has no blanks and no wildcards of ours: such a consumer has no letters.
    if (consumer !== undefined && !/^[\w-]+$/.test(consumer)) {
      return ListDeadLettersResponse.fromPartial({ data: [] });
    }
    const letters = await list(nats, { durable: consumer, after, limit: limit + 1 });
    const page = letters.slice(0, limit);
    return ListDeadLettersResponse.fromPartial({
      data: page.map(toMessage),
      next: letters.length > limit ? page.at(-1)!.sequence : undefined,
    });
  };
}

const toMessage = ({ sequence, durable, reason, tries, deadAt, event }: DeadLetter) => ({
  ...{ sequence, consumer: durable, reason, tries, deadAt },
  eventId: event?.id,
  eventType: event?.type,
  accountId: event?.accountId || undefined,
  occurredAt: event?.occurredAt,
});
