import { CreateChargeRequest, CreateChargeResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { conflict, invalid } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { claimOf } from '@sabia/service-kit/idempotency';
import { checkCharge } from '../domain/charge-rules';
import { recallCharge } from '../payments/charge-once';
import type { ChargeClaim } from '../payments/charge-once';
import { openCharge } from '../payments/open-charge';
import type { Dependencies, Handler } from './dependencies';
import { readPaymentMethod, toCreatedChargeMessage } from './messages';

export function createCharge({ collection, now }: Dependencies): Handler<'createCharge'> {
  async function make(request: CreateChargeRequest, context: RpcContext, claim?: ChargeClaim) {
    const { accountId, userId } = requireCaller(context);
    const checked = checkCharge({ ...request, paymentMethod: readPaymentMethod(request.paymentMethod) }, now());
    if ('violations' in checked) {
      throw invalid('charge', checked.violations);
    }
    return openCharge(collection, { accountId, userId }, checked.charge, claim);
  }

  return async (request, context) => {
    const { accountId } = requireCaller(context);
    const claim = readClaim(request, context);
    const recall = async (): Promise<CreateChargeResponse | undefined> => {
      const answer = claim && (await recallCharge(collection, accountId, claim));
      if (answer === undefined) {
        return undefined;
      }
      context.replayed = true;
      return CreateChargeResponse.decode(answer);
    };

    const earlier = await recall();
    if (earlier !== undefined) {
      return earlier;
    }
    const made = await make(request, context, claim);
    if (made !== 'taken') {
      return toCreatedChargeMessage(made);
    }
    // Possibly by the charge that the same request has just created.
    const same = await recall();
    if (same === undefined) {
      throw conflict('OPEN_CHARGE_EXISTS', 'The account already has an open charge.');
    }
    return same;
  };
}

function readClaim(request: CreateChargeRequest, context: RpcContext): ChargeClaim | undefined {
  if (context.idempotencyKey === undefined) {
    return undefined;
  }
  const claim = claimOf(context, CreateChargeRequest.encode(request).finish());
  return (
    claim && { ...claim, encode: (charge) => CreateChargeResponse.encode(toCreatedChargeMessage(charge)).finish() }
  );
}
