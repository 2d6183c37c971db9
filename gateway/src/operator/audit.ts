import {
  BeginOperatorActRequest,
  BeginOperatorActResponse,
  EndOperatorActRequest,
} from '@sabia/protos/sabia/identity/v1/operator';
import type { Logger } from '@sabia/service-kit/logging';
import type { SendRpc } from '../clients/service-clients';
import type { Route } from '../contract/routes';
import type { Endpoint } from '../endpoints/endpoint';
import { renderError } from '../errors/render';
import type { Exchange } from '../http/exchange';
import type { HttpResponse } from '../http/response';
import { recordedRequest } from './recorded-request';

export interface AuditOptions {
  /** BeginOperatorAct and EndOperatorAct of identity. */
  begin: SendRpc;
  end: SendRpc;
  log: Logger;
}

interface Outcome {
  status: number;
  errorCode: string;
}

/**
 * Writes every request of an operator into the audit log: who, what and from where before it is carried out, what became of it
 * afterwards. A request that cannot be written there is not carried out.
 */
export function createAudit({ begin, end, log }: AuditOptions): (route: Route, endpoint: Endpoint) => Endpoint {
  async function noteBegin(exchange: Exchange, route: Route, parameters: string[]): Promise<number> {
    const message = BeginOperatorActRequest.fromPartial({
      act: route.rpc.method,
      method: exchange.method,
      path: exchange.path,
      accountId: accountIn(route, parameters),
      request: await recordedRequest(exchange, route.body !== ''),
    });
    const bytes = BeginOperatorActRequest.encode(message).finish();
    const scope = exchange.scope({ cancellable: false });
    return BeginOperatorActResponse.decode(await begin(Buffer.from(bytes), scope)).id;
  }

  /** The request has been carried out or refused by now: its answer does not depend on this. */
  async function noteEnd(exchange: Exchange, id: number, outcome: Outcome): Promise<void> {
    const bytes = EndOperatorActRequest.encode({ id, ...outcome }).finish();
    try {
      await end(Buffer.from(bytes), { ...exchange.scopeOfPart(), signal: new AbortController().signal });
    } catch (error) {
      log.error({ err: error, act: id, ...outcome }, 'the outcome of an act of an operator could not be written');
    }
  }

  return (route, endpoint) => ({
    ...endpoint,
    async respond(exchange, parameters) {
      const id = await noteBegin(exchange, route, parameters);
      try {
        const response = await endpoint.respond(exchange, parameters);
        await noteEnd(exchange, id, outcomeOf(response));
        return response;
      } catch (error) {
        await noteEnd(exchange, id, outcomeOf(renderError(error, exchange.requestId)));
        throw error;
      }
    },
  });
}

const outcomeOf = ({ status, body }: Pick<HttpResponse, 'status' | 'body'>): Outcome => ({
  status,
  errorCode: status < 400 ? '' : ((JSON.parse(String(body)) as { error?: { code?: string } }).error?.code ?? ''),
});

/** 0: the path names no account. One that is no number is refused later on. */
function accountIn({ segments }: Route, parameters: string[]): number {
  const names = segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
  const text = parameters[names.indexOf('account_id')] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
