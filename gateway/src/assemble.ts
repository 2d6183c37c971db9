import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Language } from '@sabia/service-kit/brand/language';
import { createLease } from '@sabia/service-kit/events/caches/lease';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { createAuthenticator, createTokenLookup } from './access/authenticate';
import { createConsoleCookie } from './access/console-cookie';
import { createOwnPages } from './access/own-pages';
import { followRevocations } from './access/revocations';
import { createTokenCache } from './access/token-cache';
import { createAdmission } from './admission';
import { createApi, pagePaths } from './api';
import { readConsoleFiles } from './console/console-files';
import { createDocsPages } from './docs/docs-pages';
import { openGuides } from './docs/guides';
import type { RedisConnection } from './clients/redis';
import type { ServiceClient } from './clients/service-clients';
import type { GatewayConfig } from './config';
import type { Route } from './contract/routes';
import { createChunkedEndpoint } from './endpoints/chunked-endpoint';
import type { Endpoint } from './endpoints/endpoint';
import { createPaymentNotification } from './endpoints/payment-notification';
import { createRpcEndpoint } from './endpoints/rpc-endpoint';
import { createLoginEndpoint, createLogoutEndpoint } from './endpoints/session-endpoints';
import { createTokenCheck } from './endpoints/token-check';
import { createReadiness } from './health';
import type { Check } from './health';
import { createClientIp, createRequestContext } from './http/request-context';
import { createIdempotency } from './idempotency/idempotency';
import { createIdempotencyStore } from './idempotency/store';
import { createAllowances } from './limits/allowance';
import { createRateLimit } from './limits/rate-limit';
import { createEventStreams } from './live/event-streams';
import { createEventsEndpoint } from './live/events-endpoint';
import { serveDocument } from './openapi/served-document';
import { createOperatorServer } from './operator-server';
import { createDemoEntry } from './pages/demo-entry';
import { homePage } from './pages/home';
import { createMailedLinkPages } from './pages/mailed-links';
import { createPaymentPages } from './pages/payment';
import { createProvisioningPage } from './pages/provisioning';
import { createRecordingEndpoint } from './recordings/recording-endpoint';
import { createRecordingFiles } from './recordings/recording-files';
import { createRecordingLinkEndpoints } from './recordings/recording-link-endpoint';
import { createRecordingUrls } from './recordings/recording-urls';
import { publicDocument } from './reference';
import { createApiServer, createHttpServer } from './server';
import { createSipEndpoint } from './sip/sip-endpoint';
import { createSipProxy, SIP_PATH } from './sip/sip-proxy';

export interface GatewayParts {
  routes: Route[];
  redis: RedisConnection;
  nats: Nats;
  services: ReadonlyMap<string, ServiceClient>;
  log: Logger;
  telemetry: Telemetry;
  now: () => number;
  elapsed: () => number;
}

export interface GatewayAssembly {
  /** Listens; sipPort is the port for web phones only, operatorPort that of operators, if they are configured. */
  start(): Promise<{ port: number; sipPort?: number; operatorPort?: number }>;
  /** Drains the servers, while the connections still work. */
  stop(): Promise<void>;
  /** The dependencies that /readyz lists. */
  checks: Record<string, Check>;
}

const CHECK_TIMEOUT_MS = 1_000;
const AUTHENTICATE = '/sabia.identity.v1.IdentityService/Authenticate';
const CREATE_SESSION = '/sabia.identity.v1.IdentityService/CreateSession';
const LOGOUT = '/sabia.identity.v1.IdentityService/Logout';
const GET_CONFIRMATION = '/sabia.identity.v1.IdentityService/GetConfirmation';
const GET_PASSWORD_LINK = '/sabia.identity.v1.IdentityService/GetPasswordLink';
const GET_RECORDING = '/sabia.telephony.v1.TelephonyService/GetRecording';
const GET_RECORDING_LINK = '/sabia.telephony.v1.TelephonyService/GetRecordingLink';
const OPEN_PROVISIONING = '/sabia.extensions.v1.ExtensionsService/OpenProvisioning';
const BILLING = '/sabia.billing.v1.BillingService';

/** Builds the gateway from its connections. */
export function assemble(config: GatewayConfig, parts: GatewayParts): GatewayAssembly {
  const { routes, redis, nats, services, log, telemetry, now, elapsed } = parts;
  const rpcOf = (serviceName: string, path: string) => services.get(serviceName)!.method(path);
  const stop = new AbortController();
  const stopping = stop.signal;

  const lease = createLease(elapsed);
  const tokens = createTokenCache({
    lookup: createTokenLookup(rpcOf('identity', AUTHENTICATE), randomUUID),
    ttlMs: config.tokenCacheTtlMs,
    maximum: config.tokenCacheSize,
    ...{ now, lease },
  });
  const stopFollowing = followRevocations({ nats, cache: tokens, lease, log });
  const authenticator = createAuthenticator(tokens, config);
  const secure = config.tls !== undefined || config.publicUrl.startsWith('https:');
  const cookie = createConsoleCookie({ secure });
  const ownPages = createOwnPages({ publicUrl: config.publicUrl, tls: config.tls !== undefined });
  const eventStreams = createEventStreams({
    ...{ nats, tokens, log, telemetry, now },
    perUser: config.eventStreamsPerUser,
    atMost: config.eventStreams,
  });
  const recordings = { files: createRecordingFiles(config.recordingsPath), urls: createRecordingUrls() };

  const idempotency = createIdempotency({
    store: createIdempotencyStore(redis),
    log,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  const publicRoutes = routes.filter(({ access }) => access !== 'OPERATOR');

  function createEndpoints(): Endpoint[] {
    const responseOptions = { fromWire: config.plainPaths?.has('json-writer') !== true };
    const endpointOf = (route: Route): Endpoint => {
      const sendRpc = rpcOf(route.rpc.serviceName, route.rpc.path);
      if (route.rpc.path === CREATE_SESSION) {
        return createLoginEndpoint(route, sendRpc, { cookie, ownPages }, responseOptions);
      }
      if (route.chunks !== undefined) {
        return createChunkedEndpoint(route, route.chunks, sendRpc);
      }
      const endpoint = createRpcEndpoint(route, sendRpc, idempotency, responseOptions);
      return route.rpc.path === LOGOUT && route.additional ? createLogoutEndpoint(endpoint, cookie) : endpoint;
    };
    const rpcEndpoints = publicRoutes.map(endpointOf);
    return [
      ...rpcEndpoints,
      ...(config.demoEntry === undefined
        ? []
        : [createDemoEntry(config.demoEntry, rpcOf('identity', CREATE_SESSION), cookie)]),
      createTokenCheck(authenticator),
      // After the routes whose forms they answer: of two endpoints for the same method and path the later one counts.
      ...createMailedLinkPages({
        getConfirmation: rpcOf('identity', GET_CONFIRMATION),
        getPasswordLink: rpcOf('identity', GET_PASSWORD_LINK),
        routeOf: (path) => rpcEndpoints.find(({ method, template }) => method === 'POST' && template === path)!,
      }),
      createRecordingEndpoint(rpcOf('telephony', GET_RECORDING), recordings),
      ...createRecordingLinkEndpoints(rpcOf('telephony', GET_RECORDING_LINK)),
      createEventsEndpoint(eventStreams),
      createSipEndpoint(SIP_PATH, config.sipWsUrls.length > 0),
      ...createPaymentPages({
        getPaymentPage: rpcOf('billing', `${BILLING}/GetPaymentPage`),
        paySandboxCharge: rpcOf('billing', `${BILLING}/PaySandboxCharge`),
      }),
      createProvisioningPage({ openProvisioning: rpcOf('extensions', OPEN_PROVISIONING), secure }),
      createPaymentNotification(rpcOf('billing', `${BILLING}/HandlePaymentNotification`)),
    ];
  }

  const rateLimit = createRateLimit(redis);
  const allowances = createAllowances(config.limits, config.limitOverrides);
  const admit = createAdmission({ authenticator, cookie, ownPages, rateLimit, allowances });
  const createApiOf = (endpoints: Endpoint[], pages?: ReadonlySet<string>) =>
    createApi({ endpoints, pages, admit, rateLimit, allowances, log });

  const clientIp = createClientIp(config.trustedProxies);
  const { requestTimeoutMs, bodyLimitBytes, tls, sipWsUrls: urls, sipSocketsPerAddress: socketsPerAddress } = config;
  const createContext = (bodyLimit: number) =>
    createRequestContext({
      ...{ telemetry, log, clientIp, stopping },
      timeoutMs: requestTimeoutMs,
      bodyLimitBytes: bodyLimit,
    });
  const context = createContext(bodyLimitBytes);
  const sip =
    urls.length === 0
      ? undefined
      : createSipProxy({ urls, socketsPerAddress, clientIp, redis, log, telemetry, stopping });

  const checks: Record<string, Check> = {
    ...Object.fromEntries([...services].map(([name, client]) => [name, () => client.isServing(CHECK_TIMEOUT_MS)])),
    redis: () => !redis.isAway(),
    nats: () => lease.held,
  };
  const documentIn = (language: Language) => () => publicDocument(routes, { ...config, language });
  const consoleFiles = readConsoleFiles(join(__dirname, '../console'));
  const server = createHttpServer({
    api: createApiOf(createEndpoints(), pagePaths),
    readiness: createReadiness(checks, stopping),
    consoleDevUrl: config.consoleDevUrl,
    consoleFiles,
    pages: {
      home: (language) => homePage(config.publicUrl, language),
      docs: createDocsPages({
        guides: openGuides(join(__dirname, '../../docs/guides'), config.publicUrl),
        consoleFiles,
      }),
      openApi: { en: serveDocument(documentIn('en')), 'pt-BR': serveDocument(documentIn('pt-BR')) },
    },
    ...{ context, sip, tls, requestTimeoutMs, log },
  });
  const sipServer = createApiServer({
    api: createApiOf(['/', SIP_PATH].map((path) => createSipEndpoint(path, urls.length > 0))),
    ...{ context, sip, tls, requestTimeoutMs },
  });
  const operatorServer =
    config.operator &&
    createOperatorServer({
      ...{ routes, rpcOf, idempotency, rateLimit, allowances, limits: config.limits },
      ...{ address: config.operator, createContext, tls, requestTimeoutMs, log },
    });
  let listening = false;

  return {
    async start() {
      // A gateway that was stopped while it started must not begin to listen: nothing would close the server again.
      stopping.throwIfAborted();
      const port = await server.listen(config.host, config.port);
      listening = true;
      const { sipWsPort } = config;
      return {
        port,
        sipPort: sipWsPort === undefined ? undefined : await sipServer.listen(config.host, sipWsPort),
        operatorPort: await operatorServer?.listen(),
      };
    },
    async stop() {
      stop.abort();
      if (listening) await delay(config.drainDelayMs);
      eventStreams.close();
      const servers = [server, sipServer, ...(operatorServer === undefined ? [] : [operatorServer])];
      await Promise.all(servers.map((each) => each.drain(requestTimeoutMs)));
      await recordings.urls.close();
      stopFollowing();
    },
    checks,
  };
}
