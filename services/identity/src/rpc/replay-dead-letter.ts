import { ReplayDeadLetterResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { notFound } from '@sabia/service-kit/errors';
import { replayDeadLetter as replay } from '@sabia/service-kit/events/consumer/dead-letters';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import type { Dependencies, Handler } from './dependencies';

export function replayDeadLetter({ nats }: Dependencies): Handler<'replayDeadLetter'> {
  return async ({ sequence }, context) => {
    requireOperator(context);
    if (!(await replay(nats, sequence))) {
      throw notFound('dead-letter', sequence);
    }
    return ReplayDeadLetterResponse.fromPartial({ sequence });
  };
}
