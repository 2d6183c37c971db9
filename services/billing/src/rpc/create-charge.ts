import { invalid } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { checkCharge } from '../domain/charge-rules';
import { openCharge } from '../payments/open-charge';
import type { Dependencies, Handler } from './dependencies';
import { readPaymentMethod, toCreatedChargeMessage } from './messages';

export function createCharge({ collection, now }: Dependencies): Handler<'createCharge'> {
  return async (request, context) => {
    const { accountId, userId } = requireCaller(context);
    const checked = checkCharge({ ...request, paymentMethod: readPaymentMethod(request.paymentMethod) }, now());
    if ('violations' in checked) {
      throw invalid('charge', checked.violations);
    }
    return toCreatedChargeMessage(await openCharge(collection, { accountId, userId }, checked.charge));
  };
}
