import { QuoteRateResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { destinationDigits } from '../domain/destination';
import { numberKind } from '../domain/number-kind';
import type { Dependencies, Handler } from './dependencies';
import { currency } from './messages';

export function quoteRate({ rates, phoneCountry, now }: Dependencies): Handler<'quoteRate'> {
  return async ({ destination: given = '' }, context) => {
    const { accountId } = requireCaller(context);
    const destination = destinationDigits(given, phoneCountry);
    if (destination === undefined) {
      throw invalid('rate', [
        given.trim() === ''
          ? { field: 'destination', code: 'presence', message: "can't be blank" }
          : { field: 'destination', code: 'format', message: 'must be a phone number or the beginning of one' },
      ]);
    }
    const rate = rates.find(accountId, destination, now());
    if (rate === undefined) {
      throw notFound('rate', destination);
    }
    const { prefix, description, minutePrice, minimumSeconds, incrementSeconds } = rate;
    const { country, type } = numberKind(destination);
    return QuoteRateResponse.fromPartial({
      destination,
      prefix,
      minute_price: minutePrice,
      minimum_seconds: minimumSeconds,
      increment_seconds: incrementSeconds,
      currency,
      description,
      country,
      number_type: type,
    });
  };
}
