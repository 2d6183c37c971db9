import type { Logger } from '@sabia/service-kit/logging';
import { createApi } from './api';
import type { SendRpc } from './clients/service-clients';
import type { Route } from './contract/routes';
import { createRpcEndpoint } from './endpoints/rpc-endpoint';
import type { Drain } from './http/drain';
import type { RequestContext } from './http/request-context';
import type { TlsFiles } from './http/tls-files';
import type { Idempotency } from './idempotency/idempotency';
import type { Allowances, Limits } from './limits/allowance';
import type { RateLimit } from './limits/rate-limit';
import { createAudit } from './operator/audit';
import { createOpenEndpoints } from './operator/open-endpoints';
import { createOperatorAdmission } from './operator/operator-admission';
import { createApiServer } from './server';

export interface OperatorServerOptions {
  /** All routes; those of operators are served here. */
  routes: Route[];
  rpcOf: (serviceName: string, path: string) => SendRpc;
  idempotency: Idempotency;
  rateLimit: RateLimit;
  allowances: Allowances;
  limits: Limits;
  address: { host: string; port: number };
  createContext: (bodyLimitBytes: number) => RequestContext;
  /** Undefined: plain HTTP. */
  tls?: TlsFiles;
  requestTimeoutMs: number;
  log: Logger;
}

/** Enough for a rate deck, and less than a message between services may have. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** The operator's port (docs/decisions/0025-an-operators-port.md): its own routes, tokens and audit log, and nothing of the public port. */
export function createOperatorServer(options: OperatorServerOptions): { listen(): Promise<number>; drain: Drain } {
  const { rpcOf, idempotency, rateLimit, allowances, limits, createContext, tls, requestTimeoutMs, log } = options;
  const { host, port } = options.address;
  const routes = options.routes.filter(({ access }) => access === 'OPERATOR');
  const identity = (method: string) => rpcOf('identity', `/sabia.identity.v1.IdentityService/${method}`);
  const audit = createAudit({ begin: identity('BeginOperatorAct'), end: identity('EndOperatorAct'), log });
  const endpointOf = (route: Route) => {
    const sendRpc = rpcOf(route.rpc.serviceName, route.rpc.path);
    return audit(route, createRpcEndpoint(route, sendRpc, idempotency, { fromWire: false }));
  };
  const publicUrl = `${tls === undefined ? 'http' : 'https'}://${host}:${port}`;
  const server = createApiServer({
    api: createApi({
      endpoints: [...routes.map(endpointOf), ...createOpenEndpoints(routes, { publicUrl, limits })],
      admit: createOperatorAdmission({ authenticate: identity('AuthenticateOperator'), rateLimit, allowances }),
      ...{ rateLimit, allowances, log },
    }),
    context: createContext(BODY_LIMIT_BYTES),
    ...{ tls, requestTimeoutMs },
  });
  return { listen: () => server.listen(host, port), drain: server.drain };
}
