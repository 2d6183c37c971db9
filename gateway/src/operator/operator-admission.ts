import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { AuthenticateOperatorRequest, AuthenticateOperatorResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { unauthenticated } from '@sabia/service-kit/errors';
import { hashToken, tokenOf } from '../access/authenticate';
import type { SendRpc } from '../clients/service-clients';
import type { Endpoint } from '../endpoints/endpoint';
import type { Exchange } from '../http/exchange';
import type { Allowances } from '../limits/allowance';
import type { RateLimit } from '../limits/rate-limit';

export interface OperatorAdmissionOptions {
  authenticate: SendRpc;
  rateLimit: RateLimit;
  allowances: Allowances;
}

/**
 * Admits operators. Their tokens are of a kind of their own, are read from a header only, and are looked up for every request: one
 * that was ended works nowhere from then on.
 */
export function createOperatorAdmission({ authenticate, rateLimit, allowances }: OperatorAdmissionOptions) {
  async function operatorOf(exchange: Exchange): Promise<Caller['operator']> {
    const token = tokenOf(exchange.request, undefined);
    if (token === undefined) {
      return undefined;
    }
    const request = AuthenticateOperatorRequest.encode({ tokenHash: Buffer.from(hashToken(token), 'hex') }).finish();
    return AuthenticateOperatorResponse.decode(await authenticate(Buffer.from(request), exchange.scope())).operator;
  }

  return async (exchange: Exchange, { access }: Pick<Endpoint, 'access'>): Promise<void> => {
    await rateLimit.count(exchange, allowances.ofAddress(exchange, 'OPERATOR'));
    if (access === 'PUBLIC') {
      return;
    }
    const operator = await operatorOf(exchange);
    if (operator === undefined) {
      throw unauthenticated();
    }
    exchange.caller = Caller.fromPartial({ operator });
  };
}
